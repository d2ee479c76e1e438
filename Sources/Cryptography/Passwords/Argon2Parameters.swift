/// What a password hash costs (RFC 9106, section 3.1).
package struct Argon2Parameters: Hashable, Sendable {
    /// Memory, in KiB.
    package let memoryKiB: Int
    /// Passes over the memory.
    package let passes: Int
    /// Lanes. They are worked through one after another here: parallelism is the pool's.
    package let lanes: Int

    /// OWASP's first choice for Argon2id: 19 MiB, two passes, one lane; 23 ms.
    package static let standard = Argon2Parameters(memoryKiB: 19_456, passes: 2, lanes: 1)

    /// A cost; whether it is within the limits is for who uses it to ask.
    package init(memoryKiB: Int, passes: Int, lanes: Int) {
        self.memoryKiB = memoryKiB
        self.passes = passes
        self.lanes = lanes
    }

    /// Limits on what is computed at all. Hashes are imported from elsewhere, and one text must
    /// not be able to claim gigabytes or minutes (RFC 9106 allows 4 TiB).
    static let memoryKiBMax = 64 * 1_024
    static let passesMax = 16
    static let lanesMax = 16
    /// The least memory for each lane, in KiB (RFC 9106, 3.1).
    private static let laneKiBMin = 8

    /// Whether all are within the limits.
    var areAllowed: Bool {
        1...Self.lanesMax ~= lanes && 1...Self.passesMax ~= passes
            && Self.laneKiBMin * lanes...Self.memoryKiBMax ~= memoryKiB
    }
}
