import Contracts

/// `postern.gateway.v1.Emails`: changes of an account's email, and further verification mails
/// (G-02, G-12). Identity serves `cancelEmailChange`.
struct EmailsHandler: EmailsService {
    let changes: any EmailChangesAPI
    let credentials: any CredentialsAPI
    let tokens: TokenAccounts
    let limits: RateLimiter
}
