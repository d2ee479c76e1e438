import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-17: the gateway relays the bytes of a photo", .timeLimit(.minutes(1)))
struct UploadRelayTests {
    private func fixture(_ profiles: ScriptedProfiles) async throws -> (GatewayFixture, CallContext)
    {
        let fixture = try await GatewayFixture(relayed: [profiles.handler])
        let ada = try await fixture.signUp()
        return (fixture, fixture.context().bearing(ada.session.accessToken))
    }

    private static let changes = "profile-update-by-account"

    @Test("G-17: identity gets the token, the length and the bytes in order")
    func parts() async throws {
        let profiles = ScriptedProfiles()
        let (fixture, context) = try await fixture(profiles)
        let photo = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
        let progress = try await fixture.upload(photo, itemBytes: 100, in: context)
        #expect(progress.map(\.receivedBytes) == (1...10).map { UInt32($0 * 100) })
        #expect(profiles.bytes == photo)
        #expect(profiles.length == 1_000)
        let received = try #require(profiles.contexts.first)
        #expect(received.clientAddress == "192.0.2.7")
        #expect(try context.accessToken() == received.accessToken())
    }

    @Test("G-17: while identity takes nothing, the caller's items wait")
    func slow() async throws {
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let profiles = ScriptedProfiles(gate: gate)
        let (fixture, context) = try await fixture(profiles)
        let call = fixture.profile.uploadPhoto(context)
        let written = Atomic(0)
        async let progress = call.incoming.all()
        async let writing: Void = {
            try await call.outgoing.write(.init(part: .bytes(10_000)))
            for _ in 0..<10_000 {
                try await call.outgoing.write(.init(part: .data([7])))
                written.add(1, ordering: .relaxed)
            }
            call.outgoing.finish()
        }()
        for _ in 0..<10_000 { await Task.yield() }
        // Four pipes in this process, and the items between them.
        #expect(written.load(ordering: .relaxed) <= 4 * Int(FrameLimits.streamCredit) + 2)
        opening.finish()
        try await writing
        #expect(try await progress.count == 10_000)
        #expect(profiles.bytes.count == 10_000)
    }

    @Test("G-17: identity's refusal is the caller's, also while the caller still sends")
    func refused() async throws {
        let profiles = ScriptedProfiles(refusal: ServiceError(.invalidPhoto, fields: ["bytes"]))
        let (fixture, context) = try await fixture(profiles)
        let error = try await refusal {
            try await fixture.upload(
                [UInt8](repeating: 0, count: 100_000), itemBytes: 10, in: context)
        }
        #expect(error.code == .invalidPhoto && error.fields == ["bytes"])
    }

    @Test("R-03: an upload is charged, and identity called, when its first item is there")
    func first() async throws {
        let profiles = ScriptedProfiles()
        let fixture = try await GatewayFixture(relayed: [profiles.handler])
        let ada = try await fixture.signUp()
        let call = fixture.profile.uploadPhoto(
            fixture.context().bearing(ada.session.accessToken))
        for _ in 0..<1_000 { await Task.yield() }
        #expect(profiles.contexts.isEmpty)
        #expect(try fixture.inner.left(Self.changes, ada.account.accountId) == 10)
        try await call.outgoing.write(.init(part: .bytes(1)))
        try await call.outgoing.write(.init(part: .data([7])))
        call.outgoing.finish()
        #expect(try await call.incoming.all().count == 1)
        #expect(profiles.contexts.count == 1)
        #expect(try fixture.inner.left(Self.changes, ada.account.accountId) == 9)
    }

    @Test("G-17: without a valid session an upload is refused before anything of it arrives")
    func outside() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        _ = try await fixture.signOut(.accessToken(ada.session.accessToken))
        for (token, code) in [
            (nil, .invalidAccessToken), ("a.b.c", .invalidAccessToken),
            (ada.session.accessToken, .sessionEnded),
        ] as [(String?, ErrorCode)] {
            let context = fixture.context().bearing(token)
            let photo = fixture.profile.uploadPhoto(context)
            #expect(try await refusal { try await photo.incoming.all() }.code == code)
            let bundle = fixture.guests.uploadGuestBundle(context)
            #expect(try await refusal { try await bundle.incoming.all() }.code == code)
        }
    }

    @Test("G-17: items in another order are refused; one without its length is not counted")
    func order() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        let context = fixture.context().bearing(ada.session.accessToken)
        for (parts, field, left) in [
            ([.data([1])], "bytes", 10), ([], "bytes", 10), ([nil], "bytes", 10),
            ([.bytes(2), .data([1]), .bytes(2)], "data", 9), ([.bytes(2), nil], "data", 8),
        ] as [([GatewayV1.UploadPhotoRequest.Part?], String, UInt32)] {
            let call = fixture.profile.uploadPhoto(context)
            for part in parts { try await call.outgoing.write(.init(part: part)) }
            call.outgoing.finish()
            let error = try await refusal { try await call.incoming.all() }
            #expect(error.code == .invalidArgument && error.fields == [field])
            #expect(try fixture.inner.left(Self.changes, ada.account.accountId) == left)
        }
    }
}

/// Identity's profiles that take a photo as the test says, and record it.
private final class ScriptedProfiles: Sendable {
    private struct State {
        var contexts: [CallContext] = []
        var length: UInt32?
        var bytes: [UInt8] = []
    }

    private let state = Mutex(State())
    private let gate: AsyncStream<Void>?
    private let refusal: ServiceError?

    /// - Parameters:
    ///   - gate: It takes no item before this has ended.
    ///   - refusal: It refuses after the first item.
    init(gate: AsyncStream<Void>? = nil, refusal: ServiceError? = nil) {
        self.gate = gate
        self.refusal = refusal
    }

    /// The contexts of the uploads.
    var contexts: [CallContext] { state.withLock { $0.contexts } }
    var length: UInt32? { state.withLock { $0.length } }
    var bytes: [UInt8] { state.withLock { $0.bytes } }

    /// Serves `Profile/UploadPhoto`.
    var handler: MethodHandler {
        .bidirectional(ProfileDescription.uploadPhoto) {
            try await self.uploadPhoto($0, $1, $2)
        }
    }

    private func uploadPhoto(
        _ incoming: IncomingItems<GatewayV1.UploadPhotoRequest>,
        _ outgoing: OutgoingItems<GatewayV1.UploadPhotoItem>, _ context: CallContext
    ) async throws {
        state.withLock { $0.contexts.append(context) }
        if let gate { for await _ in gate {} }
        for try await item in incoming {
            if let refusal { throw refusal }
            let received = state.withLock { state -> Int? in
                switch item.part {
                case .bytes(let length): state.length = length
                case .data(let data): state.bytes += data
                case nil: break
                }
                return state.bytes.isEmpty ? nil : state.bytes.count
            }
            if let received { try await outgoing.write(.init(receivedBytes: UInt32(received))) }
        }
    }
}
