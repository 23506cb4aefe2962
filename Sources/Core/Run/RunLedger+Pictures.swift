import Model
import Pictures
import SQLite
import Transfer

extension RunLedger: PicturesRun {
    /// Takes an item that had a good outcome for a failed one; false when it had none.
    func uncount(_ outcome: TransferOutcome, ofItem id: Int64, on catalog: Connection) throws -> Bool {
        switch outcome {
        case .downloaded: figures.downloaded -= 1
        case .unchanged: figures.unchanged -= 1
        case .fresh: figures.fresh -= 1
        case .evicted, .failed, .cancelled: return false
        }
        figures.failed += 1
        let collection: Int64? = try catalog.value("SELECT collection_id FROM item WHERE id = ?", id)
        if let collection { countFailure(ofCollection: collection) }
        return true
    }
}
