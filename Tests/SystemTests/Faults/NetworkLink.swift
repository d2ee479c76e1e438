/// A caller and a called program on the network between the programs.
enum NetworkLink: String, CaseIterable, Sendable, CustomStringConvertible {
    case gatewayToIdentity
    case gatewayToSession
    case gatewayToRateLimit
    case identityToNotification
    case identityToSession

    /// The program that calls.
    var caller: String { rawValue.hasPrefix("gateway") ? "gateway" : "identity" }

    /// The program that is called, which is also the name of the caller's setting.
    var target: String {
        switch self {
        case .gatewayToIdentity: "identity"
        case .gatewayToSession, .identityToSession: "session"
        case .gatewayToRateLimit: "rate-limit"
        case .identityToNotification: "notification"
        }
    }

    var description: String { "\(caller) to \(target)" }
}
