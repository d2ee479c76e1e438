import Outbound
import ServiceRuntime

/// For how long a fetched key set is good, by the head of its answer (RFC 9111, 4.2 and 5.2.2).
///
/// | the head says | life |
/// |---|---|
/// | `cache-control: max-age=N` | N seconds less `age`, within the bounds |
/// | `no-store`, `no-cache` | the least |
/// | nothing, or nothing that can be read | an hour |
enum KeySetLife {
    /// Somebody who signs in never waits for more than one fetch in this time, whatever the
    /// provider writes.
    static let least: Duration = .seconds(300)
    /// A withdrawn key is believed no longer than this, whatever the provider writes.
    static let most: Duration = .seconds(24 * 3_600)
    /// Where it does not say.
    static let standard: Duration = .seconds(3_600)

    static func of(_ fields: HTTPFields) -> Duration {
        let directives = (fields["cache-control"] ?? "").split(separator: ",").map(Self.trimmed)
        if directives.contains("no-store") || directives.contains("no-cache") { return least }
        guard let directive = directives.first(where: { $0.hasPrefix("max-age=") }) else {
            return standard
        }
        let text = directive.dropFirst("max-age=".count).filter { $0 != "\"" }
        guard let seconds = number(text) else { return standard }
        let age = fields["age"].flatMap { number($0) } ?? 0
        return min(max(.seconds(seconds) - .seconds(age), least), most)
    }

    /// Digits; as many as a year of seconds at the most, since what is more is the same to us.
    private static func number(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return min(Int64(text) ?? .max, 365 * 86_400)
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.filter { $0 != " " && $0 != "\t" }).lowercased()
    }
}
