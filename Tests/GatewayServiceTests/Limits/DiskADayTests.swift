import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import GatewayService
@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData
@testable import SessionService

@Suite(
    "What strangers at one address add to the disks in a day",
    .enabled(if: TestStore.runs("Disk*")), .timeLimit(.minutes(5)))
struct DiskADayTests {
    /// Pages that are not full, and sign-ins meanwhile.
    private static let slack = 48 << 10

    /// What a newcomer repeats until it is refused for the day.
    private struct Filling: Sendable {
        let name: String
        let isGuest: Bool
        /// What the newcomers at the address may add: in a day of calls at their limit more than
        /// this, in bytes.
        var room = 256 << 10
        let call: @Sendable (GatewayFixture, _ token: String, Int) async throws -> Void
    }

    private static let fillings = [
        Filling(name: "small writes", isGuest: true) { fixture, token, number in
            _ = try await fixture.write(
                "{\"number\":\(number)}", in: fixture.context("\(number)").bearing(token))
        },
        Filling(name: "long documents", isGuest: false) { fixture, token, number in
            let text = String(repeating: "x", count: 30_000)
            let write = GatewayV1.DocumentWrite(
                collection: "settings", name: "n\(number)", json: "{\"text\":\"\(text)\"}")
            _ = try await fixture.documents.writeDocument(
                .init(write: write), fixture.context("\(number)").bearing(token))
        },
        Filling(name: "new documents and removals", isGuest: true) { fixture, token, number in
            let name = String(repeating: "n", count: 60) + "\(number)"
            let write = GatewayV1.DocumentWrite(collection: "settings", name: name, json: "{}")
            _ = try await fixture.documents.writeDocument(
                .init(write: write), fixture.context("write-\(number)").bearing(token))
            _ = try await fixture.documents.removeDocument(
                .init(collection: "settings", name: name),
                fixture.context("remove-\(number)").bearing(token))
        },
        Filling(name: "photos", isGuest: true) { fixture, token, number in
            _ = try await fixture.upload(
                TestPhoto.jpeg(bytes: 40_000, seed: UInt64(number + 1)),
                in: fixture.context().bearing(token))
        },
        Filling(name: "names", isGuest: true, room: 64 << 10) { fixture, token, number in
            _ = try await fixture.profile.updateProfile(
                .init(name: .displayName("Ada \(number)")),
                fixture.context("\(number)").bearing(token))
        },
        Filling(name: "consents", isGuest: true) { fixture, token, number in
            _ = try await fixture.consents.setPrivacy(
                .init(newMarketing: .marketing(number.isMultiple(of: 2))),
                fixture.context().bearing(token))
        },
        Filling(name: "bundles", isGuest: false) { fixture, token, number in
            let documents = (0..<20).map { index in
                GatewayV1.BundledDocument(
                    collection: "unknown", name: "b\(number)-\(index)", json: "{}", changedAtMs: 1)
            }
            _ = try await fixture.upload(
                documents, in: fixture.context("\(number)").bearing(token))
        },
        Filling(name: "refused removals of a method", isGuest: false) { fixture, token, number in
            let refused = try await refusal {
                try await fixture.methods.unlinkMethod(
                    .init(method: "password"), fixture.context("\(number)").bearing(token))
            }
            if refused.code != .lastMethod { throw refused }
        },
    ]

    @Test("a newcomer is refused before it has added more than its address may", arguments: 0..<8)
    func fills(number: Int) async throws {
        let filling = Self.fillings[number]
        let fixture = try await GatewayFixture(
            newcomers: NewcomerBytes(ofGuest: filling.room, ofAddress: filling.room))
        var session = try await fixture.newcomer(isGuest: filling.isGuest)
        let before = try await StoredBytes(fixture)
        var calls = 0
        var refused: ServiceError?
        while refused == nil, calls < 2_000 {
            do {
                try await filling.call(fixture, session.accessToken, calls)
                calls += 1
            } catch let error as ServiceError where error.code == .tooManyRequests {
                // By another limit the wait is an hour at most.
                guard let wait = error.retryAfter, wait <= .seconds(3_600) else {
                    refused = error
                    break
                }
                fixture.time.advance(by: wait)
                session =
                    filling.isGuest
                    ? try await fixture.refresh(session.refreshToken)
                    : try await fixture.signIn().session
            }
        }
        let added = try await StoredBytes(fixture).since(before)
        #expect(refused != nil, "\(filling.name): \(calls) calls")
        #expect(
            added.all <= filling.room + Self.slack,
            "\(filling.name): \(calls) calls added \(added)")
        print("\(filling.name): \(calls) calls, \(added.all) of \(filling.room) bytes; \(added)")
    }

    @Test("an export takes no more than what was counted for it")
    func export() async throws {
        let fixture = try await GatewayFixture()
        let token = try await fixture.newcomer(isGuest: false).accessToken
        let context = fixture.context().bearing(token)
        let text = SeededRandomness().bytes(20_000).map { String($0, radix: 16) }.joined()
        _ = try await fixture.write("{\"text\":\"\(text)\"}", in: context)
        _ = try await fixture.upload(TestPhoto.jpeg(bytes: 200_000), in: context)
        let counted = { try await fixture.inner.sum("newcomer_bytes", of: "bytes") }
        let (before, had) = (try await StoredBytes(fixture), try await counted())
        _ = try await fixture.dataExports.requestDataExport(.init(), context)
        #expect(try await fixture.inner.identity.data.exports.work.prepareDue())
        let added = try await StoredBytes(fixture).since(before)
        let archive = try #require(added.parts["identity.blobs"])
        #expect(archive > 200_000)
        #expect(added.all <= Int(try await counted() - had), "\(added)")
    }

    @Test("an older account at a full address writes on, and so does everyone on the next day")
    func others() async throws {
        let fixture = try await GatewayFixture(
            newcomers: NewcomerBytes(ofGuest: 8_192, ofAddress: 16_384))
        let old = try await fixture.signUp()
        fixture.time.advance(by: .seconds(86_400))
        let oldToken = try await fixture.refresh(old.session.refreshToken).accessToken
        func fill(_ token: String) async throws -> (calls: Int, wait: Duration) {
            for number in 0..<64 {
                do {
                    _ = try await fixture.write(
                        "{\"number\":\(number)}", in: fixture.context().bearing(token))
                } catch let error as ServiceError {
                    #expect(error.code == .tooManyRequests)
                    return (number, error.retryAfter ?? .zero)
                }
                fixture.time.advance(by: .seconds(1))
            }
            return (64, .zero)
        }
        let first = try await fixture.newcomer(isGuest: true).accessToken
        let (calls, wait) = try await fill(first)
        #expect(calls == 14, "8 KiB: 512 bytes a call, a new document twice that")
        let second = try await fixture.newcomer(isGuest: true).accessToken
        #expect(try await fill(second).calls == 14)
        let third = try await fixture.newcomer(isGuest: true).accessToken
        #expect(try await fill(third).calls == 0, "the address is full")
        for _ in 0..<40 {
            _ = try await fixture.write("{}", in: fixture.context().bearing(oldToken))
        }
        let elsewhere = fixture.context(address: "192.0.2.8").bearing(third)
        _ = try await fixture.write("{}", in: elsewhere)
        fixture.time.advance(by: wait)
        let next = try await fixture.newcomer(isGuest: true).accessToken
        _ = try await fixture.write("{}", in: fixture.context().bearing(next))
    }

    @Test("in all it is less than 50 MB a day, for the default settings")
    func day() async throws {
        var fixture = try await GatewayFixture()
        var (before, sum) = (try await StoredBytes(fixture), 0)
        /// - Parameter number: how many there can be in a day, if not as many as there were.
        func count(_ name: String, _ done: Int, ofADay number: Int? = nil) async throws {
            try await fixture.inner.settle()
            let now = try await StoredBytes(fixture)
            let added = now.since(before)
            let all = added.all / done * (number ?? done)
            print("\(name): \(added.all / done) bytes, in a day \(all): \(added)")
            sum += all
            before = now
        }
        // As many as the limits allow in each hour.
        for hour in 0..<24 {
            for number in 0..<30 {
                _ = try await fixture.newcomer(isGuest: true, in: "guest-\(hour)-\(number)")
            }
            let more = try await refusal { try await fixture.newcomer(isGuest: true) }
            #expect(more.code == .tooManyRequests)
            fixture.time.advance(by: .seconds(3_600))
        }
        try await count("guests", 24 * 30)
        // Another one, in which no row of the first day expires.
        fixture = try await GatewayFixture()
        before = try await StoredBytes(fixture)
        for hour in 0..<24 {
            for number in 0..<3 {
                _ = try await fixture.signUp(
                    "person-\(hour)-\(number)@example.org",
                    in: fixture.context("sign-up-\(hour)-\(number)"))
            }
            let more = try await refusal { try await fixture.signUp("more@example.org") }
            #expect(more.code == .tooManyRequests)
            fixture.time.advance(by: .seconds(3_600))
        }
        try await count("accounts", 24 * 3)
        // 120 of an account at once, then five an hour, for the rest of its first day.
        let signIns = (0..<24).reduce(0) { $0 + 3 * (120 + 5 * (24 - $1)) }
        for number in 0..<120 {
            _ = try await fixture.signIn(
                "person-0-0@example.org", device: "d\(number)",
                in: fixture.context("sign-in-\(number)"))
        }
        try await count("sign-ins", 120, ofADay: signIns)
        let guest = try await fixture.guests.signInAsGuest(.init(), fixture.context())
        var leaf = try #require(guest.session).refreshToken
        before = try await StoredBytes(fixture)
        for number in 0..<200 {
            fixture.time.advance(by: .seconds(11))
            leaf = try await fixture.refresh(
                leaf, in: fixture.context("refresh-\(number)")
            ).refreshToken
        }
        try await count("refreshes", 200, ofADay: Int(NewcomerRecords.recordedMax))
        let room = IdentitySettings().newcomers.ofAddress
        print("all else: \(room); in all: \(sum + room)")
        #expect(sum + room <= 50_000_000)
    }
}

extension GatewayFixture {
    /// The session of a new guest or account.
    fileprivate func newcomer(
        isGuest: Bool, in key: String? = nil
    ) async throws -> GatewayV1.Session {
        guard isGuest else { return try await signUp().session }
        let guest = try await guests.signInAsGuest(.init(), context(key))
        return try #require(guest.session)
    }
}
