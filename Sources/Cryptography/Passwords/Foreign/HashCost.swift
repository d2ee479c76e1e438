/// The cost of one check of a hash, estimated from its parameters.
///
/// Imported hashes come from files of unknown origin. One row must not be able to cost a gigabyte
/// or a minute at each sign-in, and every failed sign-in takes as long as the slowest stored hash.
/// So hashes above these limits are rejected at import.
struct HashCost: Hashable, Sendable {
    /// The memory of OWASP's scrypt parameters (N = 2¹⁷, r = 8), in bytes.
    static let memoryBytesMax = 128 << 20
    /// In microseconds. bcrypt at cost 14 takes 0.9 s on the reference core, a server's AMD EPYC
    /// core. All estimates are for that core.
    static let microsecondsMax = 1_100_000

    let memoryBytes: Int
    /// Estimated for the reference core.
    let microseconds: Int

    /// - Throws: `PasswordHashError` with `.tooCostly` above the limits.
    func requireAllowed() throws(PasswordHashError) {
        guard 0...Self.memoryBytesMax ~= memoryBytes, 0...Self.microsecondsMax ~= microseconds
        else { throw PasswordHashError(.tooCostly) }
    }
}
