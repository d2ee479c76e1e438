import Messages
import RPC
import ServiceRuntime

@testable import GatewayService
@testable import IdentityService

extension SignInGate {
    /// Asks for a second proof of each sign-in that is judged, where the account has one.
    static let always = SignInGate(
        demands: [SecondProofDemand(reason: .enrolled, passesWithout: true) { _ in .independent }],
        factors: nil)
}

extension GatewayFixture {
    /// Answers a challenge.
    func completeSignIn(
        _ challenge: ServiceError.SecondProof, _ proof: GatewayV1.CompleteSignInRequest.Proof,
        device: String = "d1", in context: CallContext? = nil
    ) async throws -> GatewayV1.CompleteSignInResponse {
        try await challenges.completeSignIn(
            .init(
                challenge: challenge.challenge, device: Self.device(device), proof: proof),
            context ?? self.context())
    }

    /// Has a code sent for a challenge.
    func sendCode(
        _ challenge: ServiceError.SecondProof, _ kind: GatewayV1.ChallengeCodeKind = .email,
        device: String = "d1", in context: CallContext? = nil
    ) async throws -> GatewayV1.SendChallengeCodeResponse {
        try await challenges.sendChallengeCode(
            .init(challenge: challenge.challenge, kind: kind, device: Self.device(device)),
            context ?? self.context())
    }
}
