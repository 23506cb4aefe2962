/// A time as people and logs read it, `2026-11-21 08:15:00 UTC`, by the civil calendar.
///
/// - Parameter microseconds: since 1970 UTC.
package func utcText(_ microseconds: Int64) -> String {
    let seconds = microseconds.quotientRoundingDown(1_000_000)
    let days = seconds.quotientRoundingDown(86_400)
    let time = seconds - days * 86_400
    // Days from an era of 400 years that begins on 1 March, so that leap days end years.
    let shifted = days + 719_468
    let era = shifted.quotientRoundingDown(146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return "\(year)-\(twoDigits(month))-\(twoDigits(day)) "
        + "\(twoDigits(time / 3_600)):\(twoDigits(time / 60 % 60)):\(twoDigits(time % 60)) UTC"
}

private func twoDigits(_ number: Int64) -> String {
    number < 10 ? "0\(number)" : "\(number)"
}

extension Int64 {
    fileprivate func quotientRoundingDown(_ divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
