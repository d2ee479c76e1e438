import Contracts

/// `postern.gateway.v1.Consents`: what the caller's account has agreed to (G-23). Identity serves
/// all but `requestParentalConsent`, which is charged twice.
struct ConsentsHandler: ConsentsService {
    let consents: any AccountConsentsAPI
    let tokens: TokenAccounts
    let limits: RateLimiter
}
