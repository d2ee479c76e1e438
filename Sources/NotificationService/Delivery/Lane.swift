/// What goes before what (N-06). A property of the template, never of the request: who asks for a
/// message must not choose how urgent it is. Raw values are stored and never change.
package enum Lane: Int64, CaseIterable, Sendable {
    /// Codes, links and warnings: somebody is looking at the screen, or is being robbed.
    case security = 0
    /// What somebody has done and is told of.
    case notice = 1
    /// Welcome and everything else that can wait.
    case bulk = 2
}
