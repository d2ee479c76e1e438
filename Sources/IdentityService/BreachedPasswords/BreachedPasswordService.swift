import Outbound
import ServiceRuntime
import Synchronization

/// A service that knows leaked passwords, asked by a range query: five digits of the SHA-1 leave the
/// machine, and the answer has the other digits of all leaked passwords that begin so. With padding
/// its length does not tell the range either.
///
/// | answer | outcome | for the circuit breaker |
/// |---|---|---|
/// | 200, whole | the count | answered |
/// | 200, of another form or without a line | failed | failed |
/// | any other status, a redirect too | failed | failed |
/// | none in a second, cut off, above 256 KiB | failed | failed |
/// | the caller has gone | skipped | abandoned |
/// | not asked: breaker open, 64 calls under way | skipped | |
///
/// Attack: somebody who holds the service, or the way to it, makes it slow, so that sign-ups wait. A
/// password waits for a second, and after ten failures the breaker leaves the service alone.
///
/// Source: https://haveibeenpwned.com/API/v3#PwnedPasswords
final class BreachedPasswordService: BreachedPasswordSource {
    /// Calls under way. A quarter of the places that an identity has for costly calls by default, so
    /// that a slow service does not hold all of them.
    static let callsMax = 64
    /// Of one request, in programs.
    static let timeout: Duration = .seconds(1)
    /// Of a response body: thousands of lines.
    static let answerBytesMax = 256 << 10

    private static let headers = [HTTPHeader("add-padding", "true")].compactMap(\.self)

    private struct State {
        var breaker = CircuitBreaker()
        var calls = 0
    }

    let isLocal = false
    private let url: HTTPURL
    private let client: OutboundClient
    private let terms: HTTPTerms
    private let time: any Time
    private let state = Mutex(State())

    /// - Parameters:
    ///   - url: A slash and the digits are added to it.
    ///   - trustFile: PEM authorities to trust instead of the system's.
    ///   - timeout: Of one request.
    /// - Throws: `OutboundClient.Unavailable`.
    init(url: HTTPURL, trustFile: String?, timeout: Duration, time: any Time) throws {
        self.url = url
        self.time = time
        // Twice as many: the client frees the place of a cancelled transfer a moment later.
        client = try OutboundClient(
            limits: .init(transfersMax: 2 * Self.callsMax, connectionsMax: Self.callsMax))
        // The operator configures the URL, so every address is allowed. A redirect would take the
        // digits to another server.
        terms = HTTPTerms(
            addresses: .any, trustFile: trustFile, timeout: timeout,
            bodyBytesMax: Self.answerBytesMax, redirectsMax: 0)
    }

    /// How many leaks had a password.
    func count(of password: PasswordSHA1) async -> Result<Int, BreachFailure> {
        switch enter() {
        case .failure(let failure): return .failure(failure)
        case .success(let permission):
            let (result, outcome) = await ask(password)
            leave(permission, outcome)
            return result
        }
    }

    private func enter() -> Result<CircuitBreaker.Permission, BreachFailure> {
        let uptime = time.uptime()
        return state.withLock { state in
            guard state.calls < Self.callsMax else { return .failure(.skipped("busy")) }
            let permission = state.breaker.admit(at: uptime)
            if case .barred = permission { return .failure(.skipped("breaker-open")) }
            state.calls += 1
            return .success(permission)
        }
    }

    private func leave(_ permission: CircuitBreaker.Permission, _ outcome: CircuitBreaker.Outcome) {
        let uptime = time.uptime()
        state.withLock { state in
            state.calls -= 1
            // A change of the breaker is not logged by itself: passwords are logged as unchecked.
            _ = state.breaker.ended(permission, outcome, at: uptime)
        }
    }

    private func ask(
        _ password: PasswordSHA1
    ) async -> (Result<Int, BreachFailure>, CircuitBreaker.Outcome) {
        guard let url = HTTPURL("\(url.text)/\(password.range)", allowsPlain: true) else {
            return (.failure(.failed("url")), .failed)
        }
        switch await client.fetch(HTTPRequest(.get, url, headers: Self.headers), terms) {
        // Cancelled on our side, so it says nothing about the service.
        case .failed(.cancelled), .failed(.closed):
            return (.failure(.skipped("cancelled")), .abandoned)
        case .failed(let failure): return (.failure(.failed(failure.rawValue)), .failed)
        case .answered(let response) where response.status != 200:
            return (.failure(.failed("status-\(response.status)")), .failed)
        case .answered(let response):
            guard let count = Self.count(of: password, in: response.body) else {
                return (.failure(.failed("malformed")), .failed)
            }
            return (.success(count), .answered)
        }
    }

    /// How many leaks had a password, by the answer about its range; nil for an answer of another
    /// form.
    static func count(of password: PasswordSHA1, in body: [UInt8]) -> Int? {
        let first = PasswordSHA1.rangeDigitCount
        let lines = body.split(separator: UInt8(ascii: "\n"))
        guard !lines.isEmpty else { return nil }
        var count = 0
        for line in lines {
            guard
                let listed = ListedPassword(line, digits: PasswordSHA1.digitCount - first)
            else { return nil }
            if password.place(besides: listed, from: first) == .there {
                count = max(count, listed.count)
            }
        }
        return count
    }
}
