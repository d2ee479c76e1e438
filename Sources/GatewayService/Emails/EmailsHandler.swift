package import Contracts

/// `postern.gateway.v1.Emails`: changes of an account's email, and verification mails without a
/// session (G-02, G-12). Each rpc is in the file of its name: `requestEmailChange`,
/// `confirmEmailChange`, `cancelEmailChange`, `resendVerificationByPassword`.
package struct EmailsHandler: EmailsService {
    let changes: any EmailChangesAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter

    /// Creates the handler over clients of the services.
    package init(changes: any EmailChangesAPI, sessions: any SessionsAPI, limits: RateLimiter) {
        self.changes = changes
        self.sessions = sessions
        self.limits = limits
    }
}
