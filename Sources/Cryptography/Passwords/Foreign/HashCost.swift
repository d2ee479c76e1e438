/// What one check of a hash costs, as far as its parameters tell.
///
/// Hashes come from files that others wrote. One row must not be able to cost a gigabyte or a
/// minute at each sign-in, and every failed sign-in takes as long as the slowest hash that is
/// stored: so what would cost more than this is refused when it is imported.
struct HashCost: Hashable, Sendable {
    /// OWASP's scrypt (N = 2¹⁷, r = 8) takes as much, in bytes.
    static let memoryBytesMax = 128 << 20
    /// bcrypt at cost 14 takes 0.9 s on the reference core, a server's AMD EPYC core, that all
    /// estimates are of; in microseconds.
    static let microsecondsMax = 1_100_000

    let memoryBytes: Int
    /// On the reference core.
    let microseconds: Int

    /// - Throws: `.tooCostly`.
    func requireAllowed() throws(PasswordHashError) {
        guard 0...Self.memoryBytesMax ~= memoryBytes, 0...Self.microsecondsMax ~= microseconds
        else { throw PasswordHashError(.tooCostly) }
    }
}
