import Contracts
import Messages
import NIOCore
import ServiceRuntime
import TestSupport
import Testing

@testable import RPC
@testable import RateLimitService

@Suite("R-04: Check decides on the event loop without decoding a message", .timeLimit(.minutes(1)))
struct CheckInPlaceTests {
    private static let mine = LimitName.profileUpdateByAccount.rawValue
    private static let application = LimitName.unaddressedByApplication.rawValue

    /// A response frame, or the error.
    private typealias Answer = Result<[UInt8], ServiceError>

    private static func request(
        _ charges: [RateLimitV1.Charge], _ language: String = ""
    ) -> [UInt8] {
        RateLimitV1.CheckRequest(charges: charges, language: language).encoded()
    }

    private static func borrowed(_ request: [UInt8]) -> (limit: LimitName, subject: [UInt8])? {
        request.withUnsafeBytes { bytes in
            BorrowedCheck(bytes).map { ($0.limit, Array($0.subject)) }
        }
    }

    /// The response of these methods to a Check request.
    private static func answer(
        _ methods: ServiceMethods, _ fixture: LimitsFixture, _ request: [UInt8]
    ) throws -> Answer {
        let handler = try #require(
            methods.handlers.first { $0.method.name == LimitsDescription.check.name })
        guard case .onLoop(let handle) = handler.kind else {
            throw ServiceError(.unknownMethod)
        }
        let writer = ResponseWriter(call: 1, frameBytesMax: 4_096)
        var out = ByteBuffer()
        do {
            try request.withUnsafeBytes {
                try handle($0, Arena(), fixture.context, writer, &out)
            }
        } catch let error as ServiceError {
            return .failure(error)
        } catch {
            return .failure(ServiceError(.invalidArgument, detail: "\(error)"))
        }
        return .success(Array(out.readableBytesView))
    }

    /// The responses of two fixtures: one that decides in place where possible, and one that
    /// decodes messages.
    private static func both(
        _ fixtures: (LimitsFixture, LimitsFixture), _ request: [UInt8]
    ) throws -> (inPlace: Answer, byMessages: Answer) {
        (
            try answer(fixtures.0.service.limits.methods, fixtures.0, request),
            try answer(
                LimitsDispatcher.methods(of: fixtures.1.service.limits), fixtures.1, request)
        )
    }

    private static func fixtures(_ time: ManualTime) async throws -> (LimitsFixture, LimitsFixture)
    {
        (try await LimitsFixture(time: time), try await LimitsFixture(time: time))
    }

    @Test("R-04: both ways give the same bytes: allowed, limited, and after a rotation")
    func answers() async throws {
        let time = ManualTime()
        let fixtures = try await Self.fixtures(time)
        var sizes: Set<Int> = []
        for round in 0..<90 {
            if round == 40 {
                for fixture in [fixtures.0, fixtures.1] {
                    try await fixture.service.subjectKeys.rotate(at: time.now())
                }
            }
            let subject = round % 2 == 0 ? "acc_1" : "é\u{301}日"
            let request = Self.request(
                [.init(limit: Self.mine, subject: subject)], ["", "de", "ja-JP"][round % 3])
            #expect(Self.borrowed(request)?.subject == Array(subject.utf8))
            let (inPlace, byMessages) = try Self.both(fixtures, request)
            #expect(inPlace == byMessages, "round \(round)")
            sizes.insert(try inPlace.get().count)
            time.advance(by: .seconds(60 + 7 * Int64(round)))
        }
        #expect(sizes.count > 3, "some are limited, with a sentence in their language")
        let audited = try await fixtures.0.audited().map(\.kind)
        #expect(try await audited == fixtures.1.audited().map(\.kind))
    }

    @Test("R-06: both ways agree in shadow mode and under another rule")
    func policies() async throws {
        let fixtures = try await Self.fixtures(ManualTime())
        for isShadow in [true, false] {
            for fixture in [fixtures.0, fixtures.1] {
                fixture.service.limits.policies.replace(
                    LimitPolicies {
                        LimitPolicy(
                            rule: .slidingWindow(count: 2, window: .seconds(60)),
                            isShadow: isShadow && $0 == .profileUpdateByAccount)
                    })
            }
            let request = Self.request([.init(limit: Self.mine, subject: "acc_1")])
            for _ in 0..<4 {
                let (inPlace, byMessages) = try Self.both(fixtures, request)
                #expect(inPlace == byMessages)
            }
        }
    }

    private static let leftToMessages: [[UInt8]] = [
        [], [0x0a, 0x00], request([]),
        request([.init(limit: mine, subject: "a", device: "d")]),
        request([.init(limit: mine, subject: "a"), .init(limit: application, subject: "b")]),
        request([.init(limit: mine, subject: "")]),
        request([.init(limit: mine, subject: String(repeating: "a", count: 513))]),
        request([.init(limit: mine, subject: "a\0")]),
        request([.init(limit: "no-such-limit", subject: "a")]),
        request([.init(limit: "", subject: "a")]),
        request([.init(limit: LimitName.signInWithoutHistory.rawValue, subject: "everybody")]),
        request([.init(limit: LimitName.failedSignInByAccount.rawValue, subject: "a")]),
        request([.init(limit: LimitName.phoneCodeByCountry.rawValue, subject: "+4915112345678")]),
        // An unknown field at the end, and text that is not UTF-8.
        request([.init(limit: mine, subject: "a")]) + [0xa0, 0x06, 0x01],
        [0x0a, 0x1f, 0x0a, 0x19] + Array(mine.utf8) + [0x12, 0x02, 0xc3, 0x28],
    ]

    @Test("R-04: any other request is decoded as a message", arguments: leftToMessages)
    func left(request: [UInt8]) async throws {
        #expect(Self.borrowed(request) == nil)
        let (inPlace, byMessages) = try Self.both(await Self.fixtures(ManualTime()), request)
        #expect(inPlace == byMessages)
    }

    @Test("R-04: of 100,000 broken requests, those decided in place are read as the message is")
    func broken() throws {
        let randomness = SeededRandomness(seed: 20_261_122)
        let sound = Self.request([.init(limit: Self.application, subject: "app-1")], "fr")
        var taken = 0
        for round in 0..<100_000 {
            var request = sound
            for _ in 0...randomness.next() % 2 {
                let place = Int(randomness.next() % UInt64(request.count))
                switch randomness.next() % 3 {
                case 0: request[place] ^= 1 << (randomness.next() % 8)
                case 1: request.remove(at: place)
                default: request.insert(UInt8(truncatingIfNeeded: randomness.next()), at: place)
                }
            }
            guard let borrowed = Self.borrowed(request) else { continue }
            taken += 1
            let message = try RateLimitV1.CheckRequest(decoding: request)
            #expect(message.charges.count == 1 && message.charges[0].device.isEmpty)
            #expect(message.charges[0].limit == borrowed.limit.rawValue, "round \(round)")
            #expect(Array(message.charges[0].subject.utf8) == borrowed.subject, "round \(round)")
        }
        #expect(taken > 1_000 && taken < 90_000)
    }

    @Test("R-04: an allowed response is encoded like its message for all values")
    func encoding() {
        for limit in LimitName.allCases {
            for shift in 0..<48 {
                var verdict = LimitVerdict()
                verdict.remaining = shift % 5 == 0 ? 0 : 1 << shift
                verdict.attempt = shift % 7 == 0 ? 0 : .max >> shift
                verdict.resetAt = shift % 3 == 0 ? nil : Timestamp(milliseconds: 1 << shift)
                let message = RateLimitV1.CheckResponse(
                    decision: .init(
                        limit: limit.rawValue, remaining: UInt32(clamping: verdict.remaining),
                        attempt: UInt32(clamping: verdict.attempt),
                        resetAtMs: verdict.resetAt?.milliseconds ?? 0))
                #expect(AllowedCheck(verdict, by: limit).encoded() == message.encoded())
            }
        }
    }
}
