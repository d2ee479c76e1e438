import Glibc

/// How long a long test is: short in the ordinary run, whole where the environment asks for it.
enum SoakRounds {
    /// Whether the whole is asked for.
    static let isWhole = getenv("POSTERN_SOAK_ROUNDS") != nil

    static func count(short: Int, whole: Int) -> Int { isWhole ? whole : short }
}
