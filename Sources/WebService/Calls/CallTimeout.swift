/// The timeouts that clients send.
enum CallTimeout {
    /// Connect's `connect-timeout-ms`: at most 10 digits. Nil for another text.
    static func connect(_ text: some StringProtocol) -> Duration? {
        number(text, digitsMax: 10).map { .milliseconds($0) }
    }

    /// gRPC's `grpc-timeout`: at most 8 digits and a unit. Nil for another text.
    static func grpc(_ text: some StringProtocol) -> Duration? {
        guard let unit = text.last, let count = number(text.dropLast(), digitsMax: 8) else {
            return nil
        }
        switch unit {
        case "H": return .seconds(count * 3_600)
        case "M": return .seconds(count * 60)
        case "S": return .seconds(count)
        case "m": return .milliseconds(count)
        case "u": return .microseconds(count)
        case "n": return .nanoseconds(count)
        default: return nil
        }
    }

    private static func number(_ text: some StringProtocol, digitsMax: Int) -> Int64? {
        guard (1...digitsMax).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int64(text)
    }
}
