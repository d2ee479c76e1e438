import Outbound
import ServiceRuntime

/// The lifetime of a fetched JWKS, from the response's header fields (RFC 9111, 4.2 and 5.2.2).
///
/// | header fields | lifetime |
/// |---|---|
/// | `cache-control: max-age=N` | N seconds minus `age`, within the bounds |
/// | `no-store`, `no-cache` | the minimum |
/// | none, or malformed | one hour |
enum KeySetLife {
    /// The minimum, whatever the provider sends: a sign-in waits for at most one scheduled fetch in
    /// this time.
    static let least: Duration = .seconds(300)
    /// The maximum, whatever the provider sends. It bounds how long a withdrawn key is accepted.
    static let most: Duration = .seconds(24 * 3_600)
    /// Used when the response has no lifetime.
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

    /// Parses digits. Values above one year in seconds are reduced to it, since `most` is smaller
    /// anyway.
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
