import Contracts
import ServiceRuntime

extension LimitPolicy {
    /// The policy as settings of the operator's file (`LimitOverrides`), as a start for a new one.
    func settings(_ limit: LimitName) -> [String] {
        let shadow = [("shadow", "\(isShadow)")]
        return (numbers + shadow).map { name, value in "\(limit.rawValue)-\(name): \(value)" }
    }

    private var numbers: [(String, String)] {
        switch rule {
        case .ring(let count, let window), .rate(let count, let window):
            return [("count", "\(count)"), ("window", DurationText.write(window))]
        case .ladder(let delays, let quiet, let perDay):
            let list = delays.map(DurationText.write).joined(separator: ", ")
            return [
                ("delays", "[\(list)]"), ("quiet", DurationText.write(quiet)),
                ("per-day", "\(perDay)"),
            ]
        case .lock(let attempts, let lockedFor, let failuresMax):
            return [
                ("attempts", "\(attempts)"), ("locked-for", DurationText.write(lockedFor)),
                ("failures-max", "\(failuresMax)"),
            ]
        }
    }
}
