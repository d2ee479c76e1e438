import HTTPSink
import Outbound
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-02: a service that knows leaked passwords", .timeLimit(.minutes(1)))
struct BreachedPasswordServiceTests {
    /// The answer about the range of "password", with other passwords and padding.
    private static let answer = [
        "1D72CD07550416C216D8AD296BF5C0AE8E0:10", "1E4C9B93F3F0682250B6CF8331B7EE68FD8:52256179",
        "1E6AAF5D1B8B8E9E0D2A55B4F3C2AA1B5EE:0",
    ].joined(separator: "\r\n")
    private static let unixAnswer = answer.split(separator: "\r\n").joined(separator: "\n")

    /// A service over real HTTP, whose breaker sees no time pass.
    private final class Service: Sendable {
        let time = ManualTime()
        let sink: HTTPSink
        let service: BreachedPasswordService

        init(
            timeout: Duration, answer: @escaping @Sendable (HTTPSink.Request) -> HTTPSink.Answer
        ) async throws {
            sink = try await HTTPSink(answer: answer)
            let url = try #require(HTTPURL(sink.url("/range"), allowsPlain: true))
            service = try BreachedPasswordService(
                url: url, trustFile: nil, timeout: timeout, time: time)
        }

        func count(_ password: String = "password") async throws -> Result<Int, BreachFailure> {
            await service.count(of: try LeakedPasswords.sha1(password))
        }
    }

    private static func with(
        timeout: Duration = .seconds(30),
        answer: @escaping @Sendable (HTTPSink.Request) -> HTTPSink.Answer,
        _ body: (Service) async throws -> Void
    ) async throws {
        let service = try await Service(timeout: timeout, answer: answer)
        do {
            try await body(service)
        } catch {
            await service.sink.close()
            throw error
        }
        await service.sink.close()
    }

    @Test("I-02: five digits leave the machine, with the demand for padding, and nothing else")
    func range() async throws {
        try await Self.with(answer: { _ in .answer(200, body: Self.answer) }) { service in
            #expect(try await service.count() == .success(52_256_179))
            let request = try #require(service.sink.requests.first)
            #expect(service.sink.requests.count == 1)
            #expect(request.method == "GET" && request.path == "/range/5BAA6")
            #expect(request.headers["add-padding"] == "true" && request.body.isEmpty)
            let sent = "\(request.path)\(request.headers)"
            #expect(!sent.contains("password") && !sent.uppercased().contains("1E4C9"))
        }
    }

    @Test(
        "I-02: the count of an answer, in each form",
        arguments: [
            (answer, 52_256_179), (answer + "\r\n", 52_256_179),
            (unixAnswer.lowercased(), 52_256_179),
            ("1E4C9B93F3F0682250B6CF8331B7EE68FD9:7", 0),
            ("1E4C9B93F3F0682250B6CF8331B7EE68FD8:0", 0),
            ("", nil), ("\r\n", nil), ("<html></html>", nil), ("1E4C9:1", nil),
            ("1E4C9B93F3F0682250B6CF8331B7EE68FD8", nil),
            ("1E4C9B93F3F0682250B6CF8331B7EE68FD8:", nil),
            ("1E4C9B93F3F0682250B6CF8331B7EE68FD8:one", nil),
            ("5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:1", nil),
        ] as [(String, Int?)])
    func forms(body: String, count: Int?) throws {
        let password = try LeakedPasswords.sha1("password")
        #expect(BreachedPasswordService.count(of: password, in: Array(body.utf8)) == count)
    }

    @Test(
        "I-02: what is no usable answer says why",
        arguments: [
            (.answer(404), "status-404"), (.answer(429), "status-429"),
            (.answer(503), "status-503"), (.answer(200, body: "<html></html>"), "malformed"),
            (.answer(301, [("location", "/range/5BAA6")]), "status-301"),
            (.answer(200, body: String(repeating: " ", count: 257 << 10)), "too-large"),
            (.cut(body: answer), "interrupted"), (.reset, "interrupted"),
        ] as [(HTTPSink.Answer, String)])
    func failing(answer: HTTPSink.Answer, reason: String) async throws {
        try await Self.with(answer: { _ in answer }) { service in
            let count = try await service.count()
            #expect(count == .failure(.failed(reason)))
            #expect(service.sink.requests.count == 1, "nothing is sent again or elsewhere")
        }
    }

    @Test("I-02: a service that is away fails at once")
    func away() async throws {
        let service = try await Service(timeout: .seconds(30)) { _ in .stall }
        await service.sink.close()
        #expect(try await service.count() == .failure(.failed("unreachable")))
    }

    @Test("I-02: a service that is silent fails within 1.2 s")
    func silent() async throws {
        try await Self.with(
            timeout: BreachedPasswordService.timeout, answer: { _ in .stall }
        ) { service in
            let took = try await quickest(under: .milliseconds(1_200)) {
                let begun = ContinuousClock.now
                let count = try await service.count()
                #expect(count == .failure(.failed("timed-out")))
                return ContinuousClock.now - begun
            }
            #expect(took < .milliseconds(1_200))
        }
    }

    @Test("X-06: after ten failures the service is left alone, until one probe is answered")
    func breaker() async throws {
        let failures = [HTTPSink.Answer](repeating: .answer(503), count: 11)
        let script = AnswerScript(failures + [.answer(200, body: Self.answer)])
        try await Self.with(answer: { _ in script.answer() }) { service in
            for _ in 0..<10 {
                let count = try await service.count()
                #expect(count == .failure(.failed("status-503")))
            }
            #expect(try await service.count() == .failure(.skipped("breaker-open")))
            #expect(service.sink.requests.count == 10)
            service.time.advance(by: CircuitBreaker.firstWait)
            #expect(try await service.count() == .failure(.failed("status-503")))
            service.time.advance(by: CircuitBreaker.firstWait)
            #expect(try await service.count() == .failure(.skipped("breaker-open")))
            service.time.advance(by: CircuitBreaker.firstWait)
            #expect(try await service.count() == .success(52_256_179))
            #expect(try await service.count("Other7Horse") == .success(0))
            #expect(service.sink.requests.count == 13)
        }
    }

    @Test("X-06: 64 calls may be under way, and no more; a caller that goes frees its place")
    func bound() async throws {
        try await Self.with(answer: { _ in .stall }) { service in
            let password = try LeakedPasswords.sha1("password")
            // Whether the next call is refused at once. One that is not is given up.
            @Sendable func isFull() async throws -> Bool {
                let next = Task { await service.service.count(of: password) }
                try await Task.sleep(for: .milliseconds(20))
                next.cancel()
                return await next.value == .failure(.skipped("busy"))
            }
            let most = BreachedPasswordService.callsMax
            let calls = (0..<2 * most).map { _ in
                Task { await service.service.count(of: password) }
            }
            #expect(try await eventually { try await isFull() })
            for call in calls { call.cancel() }
            var given: [Result<Int, BreachFailure>] = []
            for call in calls { given.append(await call.value) }
            let cancelled = given.count { $0 == .failure(.skipped("cancelled")) }
            let refused = given.count { $0 == .failure(.skipped("busy")) }
            #expect((1...most).contains(cancelled) && cancelled + refused == calls.count)
            #expect(try await isFull() == false)
        }
    }
}
