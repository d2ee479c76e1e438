import Cryptography
import ServiceRuntime
import TestSupport
import Testing

@testable import NotificationService

@Suite("Rules of a webhook")
struct WebhookRuleTests {
    static let start = Timestamp(milliseconds: 1_767_225_600_000)

    @Test("a failed event is retried with growing waits, for three days")
    func retries() {
        var now = Self.start
        var waits: [Duration] = []
        for attempt in 1...1_000 {
            let next = WebhookRetryRule.next(
                after: .failed("it answered 500", retryAfter: nil), attempts: attempt,
                queuedAt: Self.start, random: 200, at: now)
            guard case .again(let moment) = next else {
                #expect(next == .givenUp)
                #expect(now - Self.start > .seconds(3 * 24 * 3_600 - 14_400))
                break
            }
            waits.append(moment - now)
            now = moment
        }
        let steps: [Int] = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400]
        #expect(Array(waits.prefix(8)) == steps.map { Duration.seconds($0) })
        #expect((20...40).contains(waits.count))
    }

    @Test("a longer Retry-After is obeyed; an accepted event is done")
    func retryAfter() {
        func next(_ outcome: WebhookRetryRule.Outcome) -> WebhookRetryRule.Next {
            WebhookRetryRule.next(
                after: outcome, attempts: 1, queuedAt: Self.start, random: 200, at: Self.start)
        }
        #expect(
            next(.failed("it answered 429", retryAfter: .seconds(90)))
                == .again(at: Self.start + .seconds(90)))
        #expect(
            next(.failed("it answered 429", retryAfter: .seconds(1)))
                == .again(at: Self.start + .seconds(5)))
        #expect(next(.taken) == .done)
    }

    @Test("a filter has names, prefixes or all; a pattern that can match nothing is rejected")
    func filter() throws {
        let some = try #require(WebhookFilter(["session.*", "account.registered"]))
        #expect(some.matches("session.started"))
        #expect(some.matches("account.registered"))
        #expect(!some.matches("account.registered-twice"))
        #expect(!some.matches("sessions"))
        #expect(try #require(WebhookFilter([])).matches("limit.reached"))
        #expect(WebhookFilter(text: some.text) == some)
        for pattern in ["", "Session.*", "session.* ", "*.started", "a b"] {
            #expect(WebhookFilter([pattern]) == nil, "\(pattern)")
        }
        #expect(WebhookFilter(Array(repeating: "*", count: 65)) == nil)
        #expect(some.isUseful(for: ["session.started", "account.registered"]))
        #expect(!some.isUseful(for: ["session.started"]), "account.registered would never fire")
    }

    @Test("a signature is HMAC-SHA-256 over id, time and body, as Standard Webhooks specifies")
    func signature() throws {
        // RFC 4231, test case 2, uses the same key, "Jefe". The signed text is Postern's own, and
        // the expected value was made with `openssl dgst -sha256 -hmac`.
        let secret = WebhookSecret(bytes: Array("Jefe".utf8))
        let signature = secret.signature(
            id: "evt_1", seconds: 1_767_225_600, body: Array(#"{"type":"a"}"#.utf8))
        #expect(signature == "v1,e1QyAmirrOtQAPGl5+zLE2e4zu38CLkkqoRvlofPK9A=")
        #expect(WebhookSecret.drawn(from: SeededRandomness(seed: 1)).text.hasPrefix("whsec_"))
    }

    @Test("a target is https by default, without user, password or fragment")
    func targets() {
        #expect(WebhookTargets.public.url("https://hooks.example.org/postern") != nil)
        for url in [
            "http://hooks.example.org/", "https://user:pass@hooks.example.org/",
            "ftp://example.org",
            "https://hooks.example.org/#part", "hooks.example.org", "",
        ] {
            #expect(WebhookTargets.public.url(url) == nil, "\(url)")
        }
        #expect(WebhookTargets.any.url("http://127.0.0.1:9000/") != nil)
    }

    @Test(
        "a host that is an address must be public, however it is written; names are not resolved",
        arguments: [
            ("10.0.0.1", false), ("192.168.1.2:8443", false), ("127.0.0.1", false),
            ("2130706433", false), ("0x7f.1", false), ("169.254.169.254", false),
            ("[::1]", false), ("[fe80::1]", false), ("[fd00::1]:8443", false),
            ("[::ffff:10.0.0.1]", false), ("192.0.1.1", true), ("[2600::1]", true),
            ("localhost", true), ("hooks.example.org", true),
        ])
    func hosts(host: String, isAllowed: Bool) throws {
        let url = "https://\(host)/"
        let ofPublic = try #require(WebhookTargets.public.url(url))
        #expect(WebhookTargets.public.allowsHost(of: ofPublic) == isAllowed)
        let ofAny = try #require(WebhookTargets.any.url(url))
        #expect(WebhookTargets.any.allowsHost(of: ofAny))
    }
}
