import Contracts

/// `postern.gateway.v1.Consents`: what the caller's account has agreed to (G-23). Each rpc is in
/// the file of its name: `getConsents`, `acceptTerms`, `withdrawConsent`, `getPrivacy`,
/// `setPrivacy`, `requestParentalConsent`, `answerParentalConsent`.
///
/// Changes of the account's own consents share the limit of documents: each writes a few rows, and
/// a person makes few of them.
struct ConsentsHandler: ConsentsService {
    let consents: any AccountConsentsAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter
}
