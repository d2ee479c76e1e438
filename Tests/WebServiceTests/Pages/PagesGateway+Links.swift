import Messages
import ServiceRuntime
import Synchronization

/// What the gateway says of links before anything is typed.
extension PagesGateway {
    /// A link that a page asked about.
    struct Described: Hashable {
        let purpose: GatewayV1.LinkPurpose
        let token: String
    }

    /// Whose links all are.
    static let email = "ada@example.org"

    /// The links that pages asked about so far.
    var links: [Described] { described.withLock { $0 } }

    /// A link with the token `used` does not work, one with the token `known` needs no password,
    /// one with the token `phone` is of an account that has none, and of one with the token
    /// `broken` nothing can be known.
    func describe(
        _ request: GatewayV1.DescribeLinkRequest
    ) throws(ServiceError) -> GatewayV1.DescribeLinkResponse {
        let token = Self.text(request.token)
        described.withLock { $0.append(Described(purpose: request.purpose, token: token)) }
        switch token {
        case "used": return GatewayV1.DescribeLinkResponse()
        case "broken": throw ServiceError(.internalError)
        case "phone":
            return GatewayV1.DescribeLinkResponse(
                usable: true, email: Self.email, sessionNeeded: true)
        default:
            return GatewayV1.DescribeLinkResponse(
                usable: true, email: Self.email, passwordNeeded: token != "known")
        }
    }
}
