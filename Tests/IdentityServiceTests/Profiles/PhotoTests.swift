import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import PersonalData

@Suite("G-17: photos of accounts", .timeLimit(.minutes(1)))
struct PhotoTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    private func photo(_ items: [GatewayV1.UploadPhotoItem]) throws -> GatewayV1.Photo {
        try #require(items.last?.photo)
    }

    private func account(_ token: String) async throws -> GatewayV1.Account {
        try #require(
            try await fixture.profiles.getProfile(.init(), fixture.relayed(token)).account)
    }

    private func remove(_ token: String) async throws -> GatewayV1.Account? {
        try await fixture.profiles.removePhoto(.init(), fixture.relayed(token)).account
    }

    /// A photo of about so many bytes.
    private func large(_ bytes: Int) -> [UInt8] {
        var file = PhotoSamples.jpeg(metadata: false)
        file.insert(contentsOf: [UInt8](repeating: 7, count: bytes), at: file.count - 2)
        return file
    }

    @Test("an upload reports its progress and is downloaded without metadata")
    func upload() async throws {
        let ada = try await fixture.member()
        let file = PhotoSamples.jpeg()
        let items = try await fixture.upload(file, ada.token)
        #expect(items.map(\.receivedBytes) == [200, UInt32(file.count)])
        let photo = try photo(items)
        let cleaned = try CleanedPhoto(file)
        #expect(photo.contentType == "image/jpeg" && photo.width == 40 && photo.height == 30)
        #expect(photo.bytes == UInt32(cleaned.bytes.count) && photo.name.utf8.count == 22)
        #expect(photo.uploadedAtMs == fixture.time.now().milliseconds)
        let downloaded = try await fixture.download(photo.name, ada.token)
        #expect(downloaded.photo == photo && downloaded.bytes == cleaned.bytes)
        #expect(try await account(ada.token).photoUrl.hasSuffix("/v1/photos/\(photo.name)"))
        #expect(try await fixture.audited("profile.photo-uploaded") == 1)
    }

    @Test("a photo of several parts; where it is stored nothing can be read, nor parts exchanged")
    func parts() async throws {
        let ada = try await fixture.member()
        let file = large(3 * SealedParts.partBytes)
        let photo = try photo(try await fixture.upload(file, ada.token, part: 64 * 1_024))
        #expect(try await fixture.download(photo.name, ada.token).bytes == CleanedPhoto(file).bytes)

        let (blobs, name) = (fixture.service.blobs, try #require(try await fixture.blobs().first))
        let stored = try #require(try await blobs.read(name, at: 0, count: 1 << 20))
        #expect(!stored.contains(sequence: [7, 7, 7, 7, 7, 7, 7, 7]))
        let part = SealedParts.sealedPartBytes
        let exchanged = stored[part..<2 * part] + stored[..<part] + stored[(2 * part)...]
        try await blobs.remove([name])
        try await blobs.write(name, [Array(exchanged)])
        await #expect(throws: (any Error).self) {
            _ = try await fixture.download(photo.name, ada.token)
        }
    }

    @Test("another photo replaces the one before, and its file; the same one changes nothing")
    func replace() async throws {
        let ada = try await fixture.member()
        let first = try photo(try await fixture.upload(PhotoSamples.png(), ada.token))
        let blob = try await fixture.blobs()
        // The same pixels, without the metadata.
        let again = PhotoSamples.png(metadata: false)
        #expect(try photo(try await fixture.upload(again, ada.token)) == first)
        #expect(try await fixture.blobs() == blob)
        let second = try photo(try await fixture.upload(PhotoSamples.jpeg(), ada.token))
        #expect(second.name != first.name)
        let now = try await fixture.blobs()
        #expect(now.count == 1 && now != blob)
        #expect(
            try await refusal { try await fixture.download(first.name, ada.token) }.code
                == .notFound)
        #expect(try await fixture.audited("profile.photo-uploaded") == 2)
    }

    @Test("a removed photo is gone, with its file; a second removal changes nothing")
    func removal() async throws {
        let ada = try await fixture.member()
        let photo = try photo(try await fixture.upload(PhotoSamples.png(), ada.token))
        for _ in 0..<2 { #expect(try await remove(ada.token)?.photoUrl == "") }
        #expect(try await fixture.blobs().isEmpty)
        #expect(try await fixture.count("photos") == 0)
        #expect(try await fixture.audited("profile.photo-removed") == 1)
        let error = try await refusal { try await fixture.download(photo.name, ada.token) }
        #expect(error.code == .notFound)
    }

    @Test("only the owner downloads, unless photos are public; one answer for all others")
    func access() async throws {
        let (ada, eve) = (
            try await fixture.member(), try await fixture.member("eve@example.org")
        )
        let photo = try photo(try await fixture.upload(PhotoSamples.png(), ada.token))
        var answers: [ServiceError] = []
        for (name, token) in [
            (photo.name, nil), (photo.name, eve.token), ("other", ada.token), ("", ada.token),
        ] as [(String, String?)] {
            answers.append(try await refusal { try await fixture.download(name, token) })
        }
        #expect(Set(answers) == [ServiceError(.notFound, fields: ["name"])])
        #expect(try await fixture.download(photo.name, nil, .public).photo == photo)
        for access in PhotoAccess.allCases {
            let wrong = try await refusal {
                try await fixture.download(photo.name, "wrong", access)
            }
            #expect(wrong.code == .sessionEnded, "drop the token, and call again")
        }
        try await fixture.change("UPDATE accounts SET status = 2")
        let suspended = try await refusal {
            try await fixture.download(photo.name, nil, .public)
        }
        #expect(suspended.code == .notFound)
    }

    @Test("a guest's photo has 256 KiB at most, an account's 5 MiB")
    func guests() async throws {
        let (_, guest) = try await fixture.guest()
        let most = PersonalDataSettings().guestPhotoBytesMax
        let file = TestPhoto.jpeg(bytes: most)
        _ = try await fixture.upload(file, guest, part: 64 * 1_024)
        let refused = try await refusal {
            try await fixture.upload(TestPhoto.jpeg(bytes: most + 1), guest, part: 64 * 1_024)
        }
        #expect(refused.code == .invalidPhoto)
        #expect(refused.violations.map(\.rule) == ["photo-bytes"])
        let ada = try await fixture.member()
        _ = try await fixture.upload(
            TestPhoto.jpeg(bytes: most + 1), ada.token, part: 64 * 1_024)
    }

    @Test("what is no photo, too long, or of another length is refused and leaves nothing")
    func refused() async throws {
        let ada = try await fixture.member()
        let file = PhotoSamples.png()
        let text = try await refusal { try await fixture.upload([1, 2, 3], ada.token) }
        #expect(text.code == .invalidPhoto && text.violations.first?.rule == "photo-format")
        let long = try await refusal {
            try await fixture.upload(file, ada.token, saying: CleanedPhoto.bytesMax + 1)
        }
        #expect(long.code == .invalidPhoto && long.violations.first?.rule == "photo-bytes")
        for said in [file.count + 1, file.count - 1] {
            let error = try await refusal {
                try await fixture.upload(file, ada.token, saying: said)
            }
            #expect(error.code == .invalidArgument && error.fields == ["data"])
        }
        let caller = try await refusal { try await fixture.upload(file, nil) }
        #expect(caller.code == .invalidAccessToken)
        #expect(try await fixture.blobs().isEmpty)
        #expect(try await fixture.count("photos") == 0)
    }

    @Test("an account uploads one photo at a time, and all together so many bytes")
    func bound() async throws {
        let uploads = PhotoUploads()
        let (ada, eve) = (try #require(AccountID(key: 1)), try #require(AccountID(key: 2)))
        let half = PhotoUploads.bytesMax / 2
        func run(_ account: AccountID, _ bytes: Int) async throws {
            try await uploads.run(of: account) { try uploads.receive(bytes, of: account) }
        }
        try await uploads.run(of: ada) {
            // Before its bytes arrive, it takes none from others.
            try await run(eve, PhotoUploads.bytesMax)
            try uploads.receive(half, of: ada)
            let same = try await refusal { try await run(ada, 1) }
            let large = try await refusal { try await run(eve, half + 1) }
            for error in [same, large] {
                #expect(error.code == .resourceExhausted && error.retryAfter != nil)
            }
            try await run(eve, half)
        }
        try await run(ada, PhotoUploads.bytesMax)
    }

    @Test("the sweep removes blobs that no row names, complete or not, once they are a day old")
    func sweep() async throws {
        let ada = try await fixture.member()
        let photo = try photo(try await fixture.upload(PhotoSamples.png(), ada.token))
        let (orphan, underWay) = (
            BlobName(drawnFrom: fixture.randomness), BlobName(drawnFrom: fixture.randomness)
        )
        try await fixture.service.blobs.write(orphan, [[1]])
        fixture.time.advance(by: BlobSweep.age - .milliseconds(1))
        let draft = try await fixture.service.blobs.begin(underWay)
        try await draft.append([1])
        try await fixture.sweep()
        #expect(try await fixture.blobs().count == 3)
        fixture.time.advance(by: .milliseconds(1))
        try await fixture.sweep()
        let remaining = try await fixture.blobs()
        #expect(remaining.count == 2 && !remaining.contains(orphan))
        let later = fixture.devices.open(ada.id)
        #expect(try await fixture.download(photo.name, later).photo == photo)
        fixture.time.advance(by: BlobSweep.age)
        try await fixture.sweep()
        #expect(try await fixture.blobs().count == 1)
        let repairs = "identity_orphan_repairs_total{kind=\"blob-without-row\"} 2"
        #expect(fixture.metrics.prometheusText().contains(repairs))
    }

    @Test("an upload that ends after its blob was written, as in a crash, leaves it for a day")
    func cutOff() async throws {
        let ada = try await fixture.member()
        let blobs = ShownBlobs(fixture.service.blobs)
        blobs.once(.written) { throw ServiceError(.unavailable) }
        let error = try await refusal {
            try await fixture.upload(PhotoSamples.png(), ada.token, over: blobs)
        }
        #expect(error.code == .unavailable)
        #expect(try await fixture.count("photos") == 0)
        fixture.time.advance(by: BlobSweep.age - .milliseconds(1))
        try await fixture.sweep()
        #expect(try await fixture.blobs().count == 1)
        fixture.time.advance(by: .milliseconds(1))
        try await fixture.sweep()
        #expect(try await fixture.blobs().isEmpty)
    }

    @Test("an upload whose row is refused leaves nothing, however often it is repeated")
    func refusedRow() async throws {
        let ada = try await fixture.member()
        let blobs = ShownBlobs(fixture.service.blobs)
        blobs.once(.written) { [fixture] in
            #expect(try await fixture.blobs().count == 1)
            try await fixture.change("UPDATE accounts SET status = 2")
        }
        let error = try await refusal {
            try await fixture.upload(PhotoSamples.png(), ada.token, over: blobs)
        }
        #expect(error.code == .accountDisabled)
        #expect(try await fixture.blobs().isEmpty)
    }

    @Test("a row whose file a restore did not bring has no photo to download")
    func lost() async throws {
        let ada = try await fixture.member()
        let photo = try photo(try await fixture.upload(PhotoSamples.png(), ada.token))
        try await fixture.service.blobs.remove(try await fixture.blobs())
        let error = try await refusal { try await fixture.download(photo.name, ada.token) }
        #expect(error.code == .notFound)
    }
}
