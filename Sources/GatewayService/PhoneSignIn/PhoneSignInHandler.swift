package import Contracts

/// `postern.gateway.v1.PhoneSignIn`: sign-in by a code sent to a phone number (G-06, G-14). Each
/// rpc is in the file of its name: `requestPhoneCode`, `signInWithPhoneCode`, `linkPhone`.
package struct PhoneSignInHandler: PhoneSignInService {
    let codes: any PhoneCodesAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter

    /// Creates the handler over clients of the services.
    package init(codes: any PhoneCodesAPI, sessions: any SessionsAPI, limits: RateLimiter) {
        self.codes = codes
        self.sessions = sessions
        self.limits = limits
    }
}
