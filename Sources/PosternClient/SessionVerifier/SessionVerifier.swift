package import Contracts
import Cryptography
import Messages
import RPC
package import ServiceRuntime
import Synchronization

/// Verifies access tokens without a call for each (S-01, S-07), for backends in Swift. It fetches
/// the key set from the gateway and follows the revocation feed, so that a token is rejected within
/// a second after its session ended.
///
///     let verifier = postern.sessionVerifier()
///     Task { await verifier.run() }
///     switch await verifier.verify(token) { … }
public final class SessionVerifier: Sendable {
    /// The longest life of one feed call; then a new one is started.
    private static let followedFor: Duration = .seconds(3_600)
    /// The longest backoff after the gateway was lost: thousands of verifiers may reconnect.
    private static let waitMax: Duration = .seconds(2)

    private let settings: VerifierSettings
    private let fetching: KeyFetching
    private let follower: RevocationFollower
    private let ends = RecentRevocations()
    private let feedState = Mutex(RevocationFeedState())
    private let time: any Time

    /// A verifier that calls the gateway through `verification`.
    package init(
        _ verification: any VerificationAPI, _ settings: VerifierSettings, time: any Time,
        randomness: any Randomness
    ) {
        self.settings = settings
        self.time = time
        fetching = KeyFetching(verification, settings, time: time)
        follower = RevocationFollower(waitMax: Self.waitMax, time: time, randomness: randomness) {
            position, epoch, take in
            let request = GatewayV1.WatchRevocationsRequest(
                after: GatewayV1.RevocationPosition(number: position, epoch: epoch))
            let context = CallContext(deadline: time.uptime() + Self.followedFor)
            for try await item in verification.watchRevocations(request, context) {
                take(RevocationUpdate(item))
            }
        }
    }

    /// Follows revocations and keys until cancelled. If it does not run, tokens are still verified
    /// and are valid until they expire, if the settings allow that.
    public func run() async {
        await withTaskGroup { parts in
            parts.addTask { await self.follower.run { self.take($0) } }
            parts.addTask { await self.fetchRegularly() }
        }
    }

    /// How long ago all revocations were known; nil if never. Normally this is about a second.
    public var freshness: Duration? {
        let now = time.uptime()
        return feedState.withLock { $0.completeAt }.map { now - $0 }
    }

    /// Whether a token is valid now. It waits only for keys: at the first call, and occasionally
    /// for a token with an unknown key.
    public func verify(_ token: String) async -> Verdict {
        if fetching.keys == nil { await fetching.fetch() }
        guard let keys = fetching.keys else { return .refused(.noKeys) }
        do throws(TokenRefusal) {
            return try verdict(token, keys)
        } catch {
            guard error == .unknownKey, await fetching.fetchForUnknownKey(),
                let keys = fetching.keys
            else { return .refused(.token(error)) }
            do throws(TokenRefusal) {
                return try verdict(token, keys)
            } catch {
                return .refused(.token(error))
            }
        }
    }

    private func verdict(
        _ token: String, _ keys: KnownKeys
    ) throws(TokenRefusal) -> Verdict {
        // Applied at each use and not cached: the feed may announce the limit after the token was
        // read.
        let session = try keys.read(token).limited(to: feedState.withLock { $0.lifeMax })
        return VerdictRule.verdict(
            session, hasEnded: ends.contains(session.session), silentFor: freshness,
            silence: settings.silence, at: time.now())
    }

    private func take(_ update: RevocationUpdate) {
        ends.insert(update.ends.map { ($0.session, $0.at) }, retention: update.retention)
        if let completeAt = update.completeAt { ends.forget(upTo: completeAt - update.retention) }
        let now = time.uptime()
        feedState.withLock { $0.record(update, at: now) }
        // Not awaited, so that revocations are not delayed by keys. The next item retries.
        if fetching.keys?.hash != update.keySet { fetching.begin() }
    }

    private func fetchRegularly() async {
        while !Task.isCancelled {
            await fetching.fetch()
            // `try?`: when the sleep is cancelled, the loop ends.
            try? await time.sleep(for: KeyFetching.regularly)
        }
    }
}
