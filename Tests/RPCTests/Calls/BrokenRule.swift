/// A rule that did not hold.
struct BrokenRule: Error, CustomStringConvertible {
    let description: String

    /// Throws unless `holds`.
    static func unless(_ holds: Bool, _ rule: @autoclosure () -> String) throws {
        guard holds else { throw BrokenRule(description: rule()) }
    }
}
