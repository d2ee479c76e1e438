import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-17: display name and photo of the caller's account", .timeLimit(.minutes(1)))
struct ProfileTests {
    private static let changes = "profile-update-by-account"

    let fixture: GatewayFixture
    let ada: SignedIn
    let context: CallContext

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
        context = fixture.context().bearing(ada.session.accessToken)
    }

    private func update(_ name: String) async throws -> GatewayV1.Account? {
        try await fixture.profile.updateProfile(.init(name: .displayName(name)), context).account
    }

    @Test("G-17: a changed name is in the answer, in the profile and in CheckAuthState")
    func name() async throws {
        #expect(try await update("Ada Lovelace")?.displayName == "Ada Lovelace")
        let profile = try await fixture.profile.getProfile(.init(), context)
        #expect(profile.account?.displayName == "Ada Lovelace" && profile.photo == nil)
        let state = try await fixture.check(ada.session.accessToken)
        // The times of the last use are the profile's alone.
        let account = try #require(profile.account)
        #expect(account.lastActivity != nil && account.lastSeen != nil)
        #expect(state.account?.displayName == account.displayName)
        #expect(state.account?.lastActivity == nil && state.account?.lastSeen == nil)
    }

    @Test("R-03: the 11th change in an hour is refused with the wait; refused ones do not count")
    func limit() async throws {
        let long = try await refusal { try await update(String(repeating: "a", count: 1_000)) }
        #expect(long.status == .invalidArgument)
        for number in 1...10 { _ = try await update("Ada \(number)") }
        let refused = try await refusal { try await update("Ada 11") }
        #expect(refused.code == .tooManyRequests && refused.retryAfter == .seconds(3_600))
        let upload = try await refusal { try await fixture.upload(TestPhoto.jpeg(), in: context) }
        let removal = try await refusal { try await fixture.profile.removePhoto(.init(), context) }
        #expect([upload.code, removal.code] == [.tooManyRequests, .tooManyRequests])
        #expect(try await fixture.profile.getProfile(.init(), context).photo == nil)
        fixture.time.advance(by: .seconds(3_600))
        let later = try await fixture.refresh(ada.session.refreshToken)
        _ = try await fixture.profile.updateProfile(
            .init(name: .displayName("Ada 12")), fixture.context().bearing(later.accessToken))
    }

    @Test("G-17: an uploaded photo has its URL in the profile, in accounts and in sign-ins")
    func photo() async throws {
        let bytes = TestPhoto.jpeg(bytes: 300_000)
        let progress = try await fixture.upload(bytes, in: context)
        #expect(progress.map(\.receivedBytes) == progress.map(\.receivedBytes).sorted())
        #expect(progress.last?.receivedBytes == 300_000)
        let photo = try #require(progress.last?.photo)
        #expect(progress.dropLast().allSatisfy { $0.photo == nil })
        #expect(photo.url == "https://auth.example/v1/photos/\(photo.name)")
        #expect(photo.contentType == "image/jpeg" && photo.width == 64)
        let profile = try await fixture.profile.getProfile(.init(), context)
        #expect(profile.photo == photo && profile.account?.photoUrl == photo.url)
        #expect(try await fixture.check(ada.session.accessToken).account?.photoUrl == photo.url)
        #expect(try await fixture.signIn().account.photoUrl == photo.url)

        let download = try await fixture.download(photo.name, in: context)
        #expect(download.photo == photo && download.bytes.count == Int(photo.bytes))
        let removed = try await fixture.profile.removePhoto(.init(), context)
        #expect(removed.account?.photoUrl == "")
        let gone = try await refusal { try await fixture.download(photo.name, in: context) }
        #expect(gone.code == .notFound)
    }

    @Test("G-17: by default only its owner gets a photo")
    func owner() async throws {
        let name = try #require(
            try await fixture.upload(TestPhoto.jpeg(), in: context).last?.photo?.name)
        let eve = try await fixture.signUp("eve@example.org")
        for token in [nil, eve.session.accessToken] {
            let error = try await refusal {
                try await fixture.download(name, in: fixture.context().bearing(token))
            }
            #expect(error.code == .notFound)
        }
        fixture.time.advance(by: .seconds(15 * 60))
        let expired = try await refusal { try await fixture.download(name, in: context) }
        #expect(expired.code == .invalidAccessToken)
    }

    @Test("G-17: a file that is no photo is refused, and counted, since it was received")
    func invalid() async throws {
        for photo in [Array("GIF89a".utf8), [UInt8](repeating: 0, count: 300_000)] {
            let error = try await refusal { try await fixture.upload(photo, in: context) }
            #expect(error.code == .invalidPhoto)
        }
        #expect(try fixture.inner.left(Self.changes, ada.account.accountId) == 8)
    }

    @Test("R-07: without the rate limiter a profile can be changed")
    func withoutLimiter() async throws {
        let fixture = try await GatewayFixture(limits: FailingLimits())
        let ada = try await fixture.signUp()
        let answer = try await fixture.profile.updateProfile(
            .init(name: .displayName("A")), fixture.context().bearing(ada.session.accessToken))
        #expect(answer.account?.displayName == "A")
    }
}
