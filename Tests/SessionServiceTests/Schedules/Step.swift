/// One event in a schedule. Clients are identified by their index.
enum Step: Hashable, Sendable, CustomStringConvertible {
    /// What happens to the response to a refresh.
    enum Fate: CaseIterable, Hashable, Sendable {
        /// It arrives and is saved.
        case saved
        /// It is lost, or the app crashes before saving it.
        case lost
        /// The app uses its access token at the server and crashes before saving it.
        case usedThenLost
    }

    /// A client uses its refresh token.
    case refresh(Int, Fate)
    /// A client uses its access token at the server.
    case validate(Int)
    /// A client gets another's tokens: a thief, or a tab with the same storage.
    case copy(Int, from: Int)
    /// A client falls back to an older token: a restored app, or a thief who has a copy.
    case restore(Int, to: Int64)
    /// Time passes, in milliseconds.
    case pause(Int64)
    /// The session service crashes and restarts.
    case restart

    var description: String {
        switch self {
        case .refresh(let client, let fate): "client \(client) refreshes (\(fate))"
        case .validate(let client): "client \(client) uses its access token"
        case .copy(let client, let source): "client \(client) copies client \(source)"
        case .restore(let client, let counter): "client \(client) falls back to \(counter)"
        case .pause(let milliseconds): "\(milliseconds) ms pass"
        case .restart: "the service restarts"
        }
    }
}

/// A client in a schedule.
struct Client: Hashable, Sendable {
    /// The counter of its refresh token; 0 for none.
    var held: Int64
    /// How many more refreshes it makes.
    var left: Int
    /// Whether it is the device whose key the session is bound to. In a session without a key,
    /// clients cannot be distinguished, and this has no effect.
    let hasKey: Bool
}
