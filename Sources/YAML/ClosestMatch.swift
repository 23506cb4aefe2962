/// The candidate that `word` was most likely meant to be, or nil if none is near: at most a third of its letters,
/// but always one, may be wrong, missing, extra or swapped with a neighbour. The first of several equally near wins.
package func closestMatch(to word: String, in candidates: some Sequence<String>) -> String? {
    let letters = Array(word.lowercased().unicodeScalars)
    // No option has a name as long; the work is quadratic in the length.
    guard !letters.isEmpty, letters.count <= 64 else { return nil }
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
        let limit = max(1, letters.count / 3)
        let others = Array(candidate.lowercased().unicodeScalars)
        guard abs(others.count - letters.count) <= limit else { continue }
        let distance = editDistance(letters, others)
        // A word of one letter is one edit from every other.
        guard distance <= limit, distance < max(letters.count, others.count) else { continue }
        if distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.candidate
}

/// The optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours, each at 1.
private func editDistance(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar]) -> Int {
    guard !first.isEmpty, !second.isEmpty else { return max(first.count, second.count) }
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for i in 1...first.count {
        var row = [i] + [Int](repeating: 0, count: second.count)
        for j in 1...second.count {
            let substitution = last[j - 1] + (first[i - 1] == second[j - 1] ? 0 : 1)
            row[j] = min(substitution, last[j] + 1, row[j - 1] + 1)
            if i > 1, j > 1, first[i - 1] == second[j - 2], first[i - 2] == second[j - 1] {
                row[j] = min(row[j], beforeLast[j - 2] + 1)
            }
        }
        beforeLast = last
        last = row
    }
    return last[second.count]
}
