import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.ProfileStories {
    @Suite("D0: profile completion flow")
    struct ProfileCompletion {
        private let fixture: StoryFixture
        private let web: WebClient

        init() throws {
            fixture = try #require(StoryFixture.current)
            web = try WebClient(fixture.cluster)
        }

        @Test("D0: profile completion flow: name, photo and onboarding after a phone sign-in")
        func flow() async throws {
            let ada = Person(30_001)
            let number = "+4915120300001"
            let signedIn = try await fixture.signIn(ada, byPhone: number)
            #expect(signedIn.isNewUser)
            #expect(signedIn.requiredActions == [.completeProfile, .completeOnboarding])
            let app = SignedInApp(fixture, ada, signedIn.session)
            #expect(try await app.state().requiredActions == signedIn.requiredActions)

            let named = try await fixture.backend.profile.updateProfile(
                .init(name: .displayName("Ada")), app.context())
            #expect(named.account?.displayName == "Ada")
            let photo = TestPhoto.jpeg()
            let uploaded = try await web.putPhoto(photo, app.context())
            #expect(uploaded.status == 200, "\(uploaded.body)")
            let stored: WebClient.UploadedPhoto = try uploaded.read()
            #expect(stored.contentType == "image/jpeg" && stored.bytes == photo.count)
            #expect(stored.width == 64 && stored.height == 64)

            try await app.answerAll()
            let completed = try await app.complete()
            #expect(completed.account?.onboardingComplete == true)
            #expect(Set(completed.written.map(\.collection)).isSuperset(of: ["profile", "goals"]))
            let state = try await app.state()
            #expect(state.requiredActions.isEmpty, "nothing is left to do")
            #expect(state.account?.photoUrl == stored.url)
            try await expectServed(stored, photo, to: app)

            let tablet = Person(30_901)
            let again = try await fixture.signIn(tablet, byPhone: number)
            #expect(!again.isNewUser && again.requiredActions.isEmpty)
            #expect(again.account?.displayName == OnboardingAnswers.name)
            #expect(again.account?.photoUrl == stored.url)
            try await expectServed(stored, photo, to: SignedInApp(fixture, tablet, again.session))
        }

        /// The photo is served to its owner, and once only.
        private func expectServed(
            _ stored: WebClient.UploadedPhoto, _ photo: [UInt8], to app: SignedInApp
        ) async throws {
            let served = try await web.photo(stored.url, app.context())
            #expect(served.status == 200 && served.bytes == photo)
            #expect(served.fields["content-type"] == "image/jpeg")
            #expect(served.fields["x-content-type-options"] == "nosniff")
            let tag = try #require(served.fields["etag"])
            let again = try await web.photo(stored.url, app.context(), ifNoneMatch: tag)
            #expect(again.status == 304 && again.bytes.isEmpty)
        }

        @Test("D0: the same photo again changes nothing; another replaces it; it can be removed")
        func photos() async throws {
            let ada = Person(30_002)
            let app = SignedInApp(fixture, ada, try await fixture.signUp(ada).session)
            func put(_ photo: [UInt8]) async throws -> WebClient.UploadedPhoto {
                let response = try await web.putPhoto(photo, app.context())
                #expect(response.status == 200, "\(response.body)")
                return try response.read()
            }
            let tagged = TestPhoto.jpeg(isTagged: true)
            let first = try await put(tagged)
            #expect(try await put(tagged).name == first.name)
            let served = try await web.photo(first.url, app.context())
            #expect(served.bytes.suffix(2_000) == tagged.suffix(2_000))
            #expect(!String(decoding: served.bytes, as: UTF8.self).contains(TestPhoto.gps))
            let second = try await put(TestPhoto.jpeg(seed: 2))
            #expect(second.name != first.name)
            #expect(try await web.photo(first.url, app.context()).status == 404)
            _ = try await fixture.backend.profile.removePhoto(.init(), app.context())
            #expect(try await web.photo(second.url, app.context()).status == 404)
            #expect(try await app.state().account?.photoUrl == "")
        }

        @Test("D0: a file that is no photo, and one that is too long, are refused with the rule")
        func refused() async throws {
            let ada = Person(30_003)
            let app = SignedInApp(fixture, ada, try await fixture.signUp(ada).session)
            for (file, rule) in [
                (Array("<html></html>".utf8), PhotoRule.photoFormat),
                (TestPhoto.jpeg(bytes: (5 << 20) + 1), .photoBytes),
            ] {
                let response = try await web.putPhoto(file, app.context())
                #expect(response.status >= 400)
                let error = try response.failure()
                #expect(error.code == .invalidPhoto, "\(response.body)")
                #expect(error.violations.map(\.rule) == [rule.rawValue])
            }
            #expect(try await app.state().account?.photoUrl == "")
        }
    }
}
