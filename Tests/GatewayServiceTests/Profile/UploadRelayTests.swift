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
        let fixture = try await GatewayFixture(profiles: profiles)
        let ada = try await fixture.signUp()
        return (fixture, fixture.context().bearing(ada.session.accessToken))
    }

    @Test("G-17: identity gets the token, the length and the bytes in order")
    func parts() async throws {
        let profiles = ScriptedProfiles()
        let (fixture, context) = try await fixture(profiles)
        let photo = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
        let progress = try await fixture.upload(photo, itemBytes: 100, in: context)
        #expect(progress.map(\.receivedBytes) == (1...10).map { UInt32($0 * 100) })
        #expect(profiles.bytes == photo)
        let head = try #require(profiles.head)
        #expect(head.bytes == 1_000 && head.origin?.clientAddress == "192.0.2.7")
        #expect(try context.accessToken() == head.accessToken)
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

    @Test("G-17: items in another order are refused, and identity's call ends")
    func order() async throws {
        let (fixture, context) = try await fixture(ScriptedProfiles())
        for (parts, field) in [
            ([.data([1])], "bytes"), ([], "bytes"), ([.bytes(2), .data([1]), .bytes(2)], "data"),
            ([.bytes(2), nil], "data"),
        ] as [([GatewayV1.UploadPhotoRequest.Part?], String)] {
            let call = fixture.profile.uploadPhoto(context)
            for part in parts { try await call.outgoing.write(.init(part: part)) }
            call.outgoing.finish()
            let error = try await refusal { try await call.incoming.all() }
            #expect(error.code == .invalidArgument && error.fields == [field])
        }
    }
}

/// Identity's profiles that take a photo as the test says, and record it.
private final class ScriptedProfiles: AccountProfilesService {
    private struct State {
        var head: IdentityV1.PhotoHead?
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

    var head: IdentityV1.PhotoHead? { state.withLock { $0.head } }
    var bytes: [UInt8] { state.withLock { $0.bytes } }

    func uploadPhoto(
        _ incoming: IncomingItems<IdentityV1.UploadPhotoRequest>,
        _ outgoing: OutgoingItems<IdentityV1.UploadPhotoItem>, _ context: CallContext
    ) async throws {
        if let gate { for await _ in gate {} }
        for try await item in incoming {
            if let refusal { throw refusal }
            let received = state.withLock { state -> Int? in
                switch item.part {
                case .head(let head): state.head = head
                case .data(let data): state.bytes += data
                case nil: break
                }
                return state.bytes.isEmpty ? nil : state.bytes.count
            }
            if let received { try await outgoing.write(.init(receivedBytes: UInt32(received))) }
        }
    }

    func downloadPhoto(
        _ request: IdentityV1.DownloadPhotoRequest,
        _ items: OutgoingItems<IdentityV1.DownloadPhotoItem>, _ context: CallContext
    ) async throws { throw ServiceError(.notFound) }
}
