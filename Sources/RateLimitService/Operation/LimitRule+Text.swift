import ServiceRuntime

extension LimitRule {
    /// The rule as a text for the operator, in the terms of the limits file: `5 in 15m`.
    var text: String {
        switch self {
        case .ring(let count, let window), .rate(let count, let window):
            "\(count) in \(DurationText.write(window))"
        case .ladder(let delays, let quiet, let perDay):
            "waits of \(delays.map(DurationText.write).joined(separator: ", ")), "
                + "one less after \(DurationText.write(quiet)), \(perDay) a day"
        case .lock(let attempts, let lockedFor, let failuresMax):
            "\(attempts), then locked for \(DurationText.write(lockedFor)), "
                + "\(failuresMax) without a success"
        }
    }
}
