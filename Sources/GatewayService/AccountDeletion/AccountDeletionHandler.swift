import Contracts

/// `postern.gateway.v1.AccountDeletion`: the deletion of the caller's account (G-19). Identity
/// serves all but `requestDeletionLink`.
struct AccountDeletionHandler: AccountDeletionService {
    let deletions: any AccountDeletionsAPI
    let limits: RateLimiter
}
