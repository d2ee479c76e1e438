/// The cost of a password hash (RFC 9106, section 3.1).
package struct Argon2Parameters: Hashable, Sendable {
    /// Memory, in KiB.
    package let memoryKiB: Int
    /// Passes over the memory.
    package let passes: Int
    /// Argon2's lanes. They are computed one after another: the pool provides the parallelism.
    package let lanes: Int

    /// OWASP's first choice for Argon2id: 19 MiB, two passes, one lane; 23 ms.
    package static let standard = Argon2Parameters(memoryKiB: 19_456, passes: 2, lanes: 1)

    /// Parameters, which are not validated here. Their user checks `areAllowed`.
    package init(memoryKiB: Int, passes: Int, lanes: Int) {
        self.memoryKiB = memoryKiB
        self.passes = passes
        self.lanes = lanes
    }

    /// The limits on any computed hash. Hashes are imported from other systems, and one text must
    /// not be able to require gigabytes or minutes (RFC 9106 allows 4 TiB).
    static let memoryKiBMax = 64 * 1_024
    static let passesMax = 16
    static let lanesMax = 16
    /// The least memory for each lane, in KiB (RFC 9106, 3.1).
    private static let laneKiBMin = 8

    /// Whether all parameters are within the limits.
    var areAllowed: Bool {
        1...Self.lanesMax ~= lanes && 1...Self.passesMax ~= passes
            && Self.laneKiBMin * lanes...Self.memoryKiBMax ~= memoryKiB
    }
}
