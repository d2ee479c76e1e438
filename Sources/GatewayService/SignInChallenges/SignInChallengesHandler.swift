import Contracts

/// `postern.gateway.v1.SignInChallenges`: second proofs of sign-ins (F-03, A-06).
struct SignInChallengesHandler: SignInChallengesService {
    let proofs: any SecondProofsAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter
}
