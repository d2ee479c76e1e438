package import Contracts

/// `postern.gateway.v1.Emails`: an account's address, and its verification without a session (G-02,
/// G-12). The rpcs, each in the file of its name: `requestEmailChange`, `confirmEmailChange`,
/// `cancelEmailChange`, `resendVerificationByPassword`.
package struct EmailsHandler: EmailsService {
    let changes: any EmailChangesAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter

    /// In front of the services.
    package init(changes: any EmailChangesAPI, sessions: any SessionsAPI, limits: RateLimiter) {
        self.changes = changes
        self.sessions = sessions
        self.limits = limits
    }
}
