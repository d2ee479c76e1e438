import Glibc

/// How many rounds the long loops make: one, or as many as `POSTERN_SOAK_ROUNDS` says.
package enum SoakRounds {
    /// Rounds, at least one.
    package static let count = max(1, setting.flatMap { Int($0) } ?? 1)
    /// Whether somebody asked for the long loops, and wants to see the figures.
    package static let isLong = setting != nil

    /// As many rounds as `POSTERN_SOAK_ROUNDS` says, or `ordinarily`.
    package static func count(ordinarily: Int) -> Int { isLong ? count : ordinarily }

    /// The seed that `POSTERN_SOAK_SEED` says, for loops that draw.
    package static let seed = getenv("POSTERN_SOAK_SEED").flatMap { UInt64(String(cString: $0)) }

    private static let setting = getenv("POSTERN_SOAK_ROUNDS").map { String(cString: $0) }
}
