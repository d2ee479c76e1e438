import Contracts
import Messages
import RPC
import ServiceRuntime

/// Which accounts count, by their sign-ins, towards a site that many people share
/// (`RateLimitService/Lanes/SharedSites.swift`):
///
///     created            email verified, or a phone number,   counts
///                        or a provider
///     a week ago         yes                                  yes
///     later              yes                                  no
///     any time           no                                   no
///
/// A password and a passkey prove nothing about who has them: an attacker makes as many as
/// wanted. An address, a number and an account of a provider cost something, and a week shows an
/// operator who creates them.
extension GatewayV1.Account {
    private static let weekOld = Duration.seconds(7 * 24 * 3_600)

    /// Whether it counts.
    func isEstablished(at now: Timestamp) -> Bool {
        guard now - Timestamp(milliseconds: createdAtMs) >= Self.weekOld else { return false }
        return emailVerified || !phoneNumber.isEmpty || methods.contains(where: Self.isProvider)
    }

    private static func isProvider(_ method: String) -> Bool {
        switch SignInMethod(name: method) {
        case .provider: true
        case .password, .phone, .passkey: false
        }
    }

    /// What the rate limiter gets of its sign-in; nil if it does not count, or if the caller's
    /// address is not known.
    func establishedSignIn(
        at now: Timestamp, _ context: CallContext
    ) -> RateLimitV1.EstablishedSignIn? {
        // The address was read before the charge, so it is well-formed.
        guard isEstablished(at: now), case .address(let address)? = try? LimitedCaller(context)
        else { return nil }
        return RateLimitV1.EstablishedSignIn(accountId: accountId, clientAddress: address)
    }
}
