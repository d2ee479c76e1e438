import Contracts
import Cryptography
import Messages
import RPC
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

    /// The correction of an address, whose token is both addresses. The new address
    /// `taken@example.org` is another account's, and one without `@` is none.
    var correction: MethodHandler {
        .async(EmailsDescription.correctEmail) {
            (request: GatewayV1.CorrectEmailRequest, context) -> GatewayV1.CorrectEmailResponse in
            let addresses = [request.email, request.newEmail].filter { !$0.isEmpty }
            try self.receive(
                "CorrectEmail", addresses.joined(separator: " "), request.password, context)
            guard request.newEmail != "taken@example.org" else {
                throw ServiceError(.emailAlreadyInUse, fields: ["new_email"])
            }
            guard request.newEmail.isEmpty || request.newEmail.contains("@") else {
                throw ServiceError(.invalidEmail, fields: ["new_email"])
            }
            return GatewayV1.CorrectEmailResponse()
        }
    }
}
