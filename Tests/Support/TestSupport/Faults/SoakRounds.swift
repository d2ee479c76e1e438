import Glibc

/// How many rounds the long loops run: one, or `POSTERN_SOAK_ROUNDS`.
package enum SoakRounds {
    /// The number of rounds, at least one.
    package static let count = max(1, setting.flatMap { Int($0) } ?? 1)
    /// Whether `POSTERN_SOAK_ROUNDS` is set: the loops run long and print their figures.
    package static let isLong = setting != nil

    /// `POSTERN_SOAK_ROUNDS` rounds, or `ordinarily` if it is not set.
    package static func count(ordinarily: Int) -> Int { isLong ? count : ordinarily }

    /// The seed in `POSTERN_SOAK_SEED`, for loops that use random numbers.
    package static let seed = getenv("POSTERN_SOAK_SEED").flatMap { UInt64(String(cString: $0)) }

    private static let setting = getenv("POSTERN_SOAK_ROUNDS").map { String(cString: $0) }
}
