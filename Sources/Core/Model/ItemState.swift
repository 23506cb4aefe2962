package enum ItemState: String, Sendable, CaseIterable { case pending, stored, failed, gone, removed, evicted }
