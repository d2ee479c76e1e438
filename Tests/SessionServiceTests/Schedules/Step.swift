/// One thing that happens in a schedule. Clients are told by their places.
enum Step: Hashable, Sendable, CustomStringConvertible {
    /// What becomes of a refresh's answer.
    enum Fate: CaseIterable, Hashable, Sendable {
        /// It arrives and is saved.
        case saved
        /// It is lost on its way, or the app dies before it has saved it.
        case lost
        /// The app uses its access token at the server, and dies before it has saved it.
        case usedThenLost
    }

    /// A client uses the refresh token that it holds.
    case refresh(Int, Fate)
    /// A client uses, at the server, the access token that it holds.
    case validate(Int)
    /// A client gets hold of another's tokens: a thief, or a tab that shares its store.
    case copy(Int, from: Int)
    /// A client falls back to an older token: an app that was restored, a thief who kept it.
    case restore(Int, to: Int64)
    /// Time passes, in milliseconds.
    case pause(Int64)
    /// The session service dies and starts again.
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

/// Who takes part in a schedule.
struct Client: Hashable, Sendable {
    /// The counter of the refresh token that it holds; 0 for none.
    var held: Int64
    /// How many refreshes it still makes.
    var left: Int
    /// Whether it is the device whose key the session is bound to. Without a bound session nobody
    /// can tell clients apart, and neither does this.
    let hasKey: Bool
}
