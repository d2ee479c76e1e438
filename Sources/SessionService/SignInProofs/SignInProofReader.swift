import Contracts
import Logging
import Messages
import ServiceRuntime

/// Reads sign-in proofs, and reports those that identity has not sealed with our key: at the first
/// start of two services with a folder of keys each, all are refused, and each service is healthy.
final class SignInProofReader: Sendable {
    private let seal: SignInProofSeal
    private let logger: Logger
    /// A gateway that was taken over can send any number of proofs.
    private let throttle: LogThrottle

    init(seal: SignInProofSeal, time: any Time, logger: Logger) {
        self.seal = seal
        self.logger = logger
        throttle = LogThrottle(time: time)
    }

    /// The proof, if it is genuine; nil also for none.
    func proof(_ message: IdentityV1.SignInProof?) -> SignInProof? {
        if let proof = SignInProof(message, seal: seal) { return proof }
        if let message, !seal.isGenuine(message), throttle.allows() {
            logger.error(
                "session.sign_in_proof.not_genuine",
                """
                a sign-in proof was not sealed with this service's key, and the sign-in is refused: \
                identity and session must share keys/sign-in-proof.key; if they do, a caller forges \
                proofs
                """)
        }
        return nil
    }
}
