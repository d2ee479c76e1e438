import Contracts

/// `postern.gateway.v1.Emails`: changes of an account's email, further verification mails, and
/// corrections of a mistyped email (G-02, G-12). Identity serves `cancelEmailChange`.
struct EmailsHandler: EmailsService {
    let changes: any EmailChangesAPI
    let credentials: any CredentialsAPI
    let tokens: TokenAccounts
    let limits: RateLimiter
}
