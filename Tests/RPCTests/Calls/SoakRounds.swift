import Glibc

/// How long the long loops of these tests run: few rounds each day, more when asked for.
enum SoakRounds {
    /// `ordinary`, or what POSTERN_SOAK_ROUNDS says.
    static func count(_ ordinary: Int) -> Int {
        getenv("POSTERN_SOAK_ROUNDS").flatMap { Int(String(cString: $0)) } ?? ordinary
    }
}

/// A rule that did not hold, and the seed that shows it again.
struct BrokenRule: Error, CustomStringConvertible {
    let description: String

    /// Throws unless `holds`.
    static func unless(_ holds: Bool, _ rule: @autoclosure () -> String) throws {
        guard holds else { throw BrokenRule(description: rule()) }
    }
}
