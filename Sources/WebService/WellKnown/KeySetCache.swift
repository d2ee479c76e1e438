import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// The public keys of access tokens as the gateway returns them, for the JWKS URL. It is asked at
/// most once a second, however many verifiers ask here and whether it answers or fails: they fetch
/// again for each unknown `kid`, which an attacker can invent.
///
/// While the gateway does not answer, the last keys are served for a minute. A revoked key is then
/// accepted for that minute longer; verifiers that must know sooner use `WatchRevocations`.
final class KeySetCache: Sendable {
    /// The public keys, and the issuer of the tokens.
    struct KeySet: Hashable, Sendable {
        /// A JSON Web Key Set (RFC 7517), as text.
        let jwks: String
        /// The claim `iss` of access tokens.
        let issuer: String
        /// The version of `jwks`.
        let entityTag: EntityTag

        init(jwks: String, issuer: String) {
            self.jwks = jwks
            self.issuer = issuer
            entityTag = EntityTag(of: jwks.utf8)
        }
    }

    private struct State {
        var last: (keySet: KeySet, fetchedAt: Duration)?
        /// The last attempt, if it failed.
        var failure: (error: any Error, at: Duration)?
        var fetching = SingleFlight<KeySet, any Error>()
    }

    /// Where the keys come from.
    private enum Source {
        case memory(Result<KeySet, any Error>)
        /// The gateway; or, if it fails, keys that may still be served.
        case gateway(Task<KeySet, any Error>, orElse: KeySet?)
    }

    /// The age at which the keys are fetched again.
    private static let freshFor = Duration.seconds(1)
    /// The time after a failure in which the gateway is not asked again.
    private static let retriedAfter = Duration.seconds(1)
    /// How long they are served while the gateway does not answer.
    private static let servedFor = Duration.seconds(60)
    private static let timeout = Duration.seconds(5)

    private let verification: any VerificationAPI
    private let time: any Time
    private let state = Mutex(State())

    /// Keys of the gateway that `verification` calls.
    init(_ verification: any VerificationAPI, time: any Time) {
        self.verification = verification
        self.time = time
    }

    /// The current keys.
    /// - Throws: the gateway's `ServiceError` when there are none that may still be served.
    func current() async throws -> KeySet {
        switch source(at: time.uptime()) {
        case .memory(let result):
            return try result.get()
        case .gateway(let fetching, let last):
            do {
                return try await fetching.value
            } catch {
                guard let last else { throw error }
                return last
            }
        }
    }

    private func source(at now: Duration) -> Source {
        state.withLock { state in
            let age = state.last.map { now - $0.fetchedAt } ?? Self.servedFor
            if let last = state.last, age < Self.freshFor { return .memory(.success(last.keySet)) }
            let usable = age < Self.servedFor ? state.last?.keySet : nil
            if let failure = state.failure, now - failure.at < Self.retriedAfter {
                return .memory(usable.map { .success($0) } ?? .failure(failure.error))
            }
            return .gateway(state.fetching.join { try await self.fetch() }, orElse: usable)
        }
    }

    private func fetch() async throws -> KeySet {
        let context = CallContext(deadline: time.uptime() + Self.timeout)
        let result: Result<KeySet, any Error>
        do {
            let answer = try await verification.getKeySet(GatewayV1.GetKeySetRequest(), context)
            result = .success(KeySet(jwks: answer.jwks, issuer: answer.issuer))
        } catch {
            result = .failure(error)
        }
        state.withLock { state in
            state.fetching.end()
            let now = time.uptime()
            switch result {
            case .success(let keySet): (state.last, state.failure) = ((keySet, now), nil)
            case .failure(let error): state.failure = (error, now)
            }
        }
        return try result.get()
    }
}
