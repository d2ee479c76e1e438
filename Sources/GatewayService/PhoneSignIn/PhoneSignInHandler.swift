package import Contracts

/// `postern.gateway.v1.PhoneSignIn`: codes to phones (G-06, G-14). The rpcs, each in the file of
/// its name: `requestPhoneCode`, `signInWithPhoneCode`, `linkPhone`.
package struct PhoneSignInHandler: PhoneSignInService {
    let codes: any PhoneCodesAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter

    /// In front of the services.
    package init(codes: any PhoneCodesAPI, sessions: any SessionsAPI, limits: RateLimiter) {
        self.codes = codes
        self.sessions = sessions
        self.limits = limits
    }
}
