import Contracts
import JSON
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.ProfileStories {
    @Suite("D4 §10: onboarding, from the first start on")
    struct OnboardingFlows {
        private let fixture: StoryFixture

        init() throws { fixture = try #require(StoryFixture.current) }

        private func guest(_ number: Int) async throws -> SignedInApp {
            let ada = Person(number)
            return SignedInApp(fixture, ada, try await fixture.guest(ada).session)
        }

        private func finished(_ number: Int) async throws -> SignedInApp {
            let app = try await guest(number)
            try await app.answerAll()
            try await app.complete()
            return app
        }

        @Test(
            "D4 §10.2, §10.3: fresh install, onboarding of all sections, completion without account"
        )
        func fresh() async throws {
            let app = try await guest(33_001)
            let state = try await app.state()
            #expect(state.account?.onboardingComplete == false)
            #expect(state.requiredActions == [.completeOnboarding])
            let start = try await app.onboarding()
            #expect(start.sections.map(\.name) == OnboardingAnswers.sections.map(\.name))
            #expect(start.sections.map(\.screens).joined().count == 22)
            #expect(start.resumeSection == OnboardingAnswers.sections[0].name)
            for (index, (section, json)) in OnboardingAnswers.sections.enumerated() {
                let saved = try await app.save(section, json)
                #expect(saved.done && saved.missing.isEmpty, "\(saved)")
                let next = try await app.onboarding()
                #expect(next.sections.count(where: \.done) >= index + 1)
            }
            #expect(try await app.onboarding().resumeSection.isEmpty)
            #expect(try await !app.hasCompleted())
            let completed = try await app.complete()
            #expect(completed.account?.isGuest == true)
            #expect(try await app.hasCompleted())
            #expect(try await app.complete().written.isEmpty, "a repeat changes nothing")
            #expect(try await app.state().requiredActions.isEmpty)
            let profile = try await app.read("profile")
            #expect(profile.content["name"] == .string(OnboardingAnswers.name))
            #expect(profile.document.version == 1)
            #expect(try await app.read("goals").document.version == 1)
        }

        @Test("D4 §10.2, §10.3: a guest who completed upgrades by email and keeps everything")
        func upgrade() async throws {
            let app = try await finished(33_002)
            let before = try await app.read("profile").document
            let upgraded = try await fixture.signUp(
                app.person, accessToken: app.session?.accessToken ?? "")
            #expect(upgraded.account?.isGuest == false)
            #expect(upgraded.account?.onboardingComplete == true)
            #expect(upgraded.requiredActions == [.verifyEmail])
            let later = SignedInApp(
                fixture, app.person, try await fixture.signIn(app.person).session)
            #expect(try await later.read("profile").document == before)
            #expect(try await later.hasCompleted())
        }

        @Test("D4 §10.3: a guest signs in with Apple in the middle, and continues on two devices")
        func apple() async throws {
            let app = try await guest(33_003)
            let (first, rest) = (
                OnboardingAnswers.sections[0], OnboardingAnswers.sections.dropFirst()
            )
            try await app.save(first.name, first.json)
            let email = app.person.email
            let signedIn = try await fixture.signIn(
                app.person,
                by: try await fixture.appleToken(of: "a-33003", email: email, for: app.person),
                accessToken: app.session?.accessToken ?? "")
            #expect(signedIn.isUpgraded && signedIn.requiredActions.contains(.completeOnboarding))
            let tablet = Person(33_903)
            let elsewhere = SignedInApp(
                fixture, tablet,
                try await fixture.signIn(
                    tablet, by: try await fixture.appleToken(of: "a-33003", for: tablet)
                ).session)
            let found = try await elsewhere.onboarding()
            #expect(found.sections[0].done && found.resumeSection == rest.first?.name)
            for (section, json) in rest { try await elsewhere.save(section, json) }
            try await elsewhere.complete()
            let phone = SignedInApp(fixture, app.person, signedIn.session)
            #expect(try await phone.hasCompleted())
        }

        @Test("D4 §10.2: documents and drafts are there after every service was killed")
        func persistence() async throws {
            let app = try await finished(33_004)
            let before = try await app.read("profile").document
            for service in ["identity", "session", "gateway"] {
                try fixture.cluster.crash(service)
                let after = try await retried { try await app.read("profile").document }
                #expect(after == before, "\(service)")
            }
            #expect(try await app.hasCompleted())
        }

        @Test(
            "D4 §10.3: a profile is edited after its creation; an edit of an old version conflicts")
        func edit() async throws {
            let app = try await finished(33_005)
            let seen = try await app.read("profile").document.version
            let version = try await app.write(
                "profile", #"{"name":"Augusta"}"#, merge: true, version: seen)
            #expect(version == seen + 1)
            let after = try await app.read("profile")
            #expect(after.content["name"] == .string("Augusta"))
            #expect(after.content["age"] == .integer(36), "other fields stay")
            let state = try await app.state()
            #expect(state.account?.displayName == "Augusta", "one truth")
            let error = try await refusal {
                try await app.write("profile", #"{"name":"Ada"}"#, merge: true, version: seen)
            }
            #expect(error.code == .documentConflict && error.currentVersion == version)
            let invalid = try await refusal {
                try await app.write("profile", #"{"age":7}"#, merge: true)
            }
            #expect(invalid.code == .invalidDocument && invalid.fields == ["write.json.age"])
        }

        @Test(
            "D4 §10.3: what one device writes, another sees at once, and after a pause from its position"
        )
        func devices() async throws {
            let ada = Person(33_006)
            let phone = SignedInApp(fixture, ada, try await fixture.signUp(ada).session)
            let tablet = SignedInApp(fixture, ada, try await fixture.signIn(ada).session)
            try await phone.write("settings", #"{"theme":"dark"}"#)

            let items = tablet.watch(after: nil).makeAsyncIterator()
            let first = try #require(try await items.next())
            #expect(first.written?.json.contains(#""dark""#) == true)
            let current = try #require(try await items.next())
            #expect(current.change == nil && current.position == first.position)
            try await phone.write("settings", #"{"theme":"light"}"#)
            let second = try #require(try await items.next())
            #expect(second.written?.json.contains(#""light""#) == true)
            #expect(second.written?.version == 2)

            // The tablet was off meanwhile.
            _ = try await fixture.backend.documents.removeDocument(
                .init(collection: "settings", name: "main"), phone.context())
            let resumed = tablet.watch(after: second.position).makeAsyncIterator()
            let removal = try #require(try await resumed.next())
            guard case .removed(let document)? = removal.change else {
                Issue.record("not a removal: \(removal)")
                return
            }
            #expect(document.name == "main" && document.json.isEmpty && !removal.reset)
        }
    }
}

extension SignedInApp {
    /// The changes of the documents.
    fileprivate func watch(
        after position: Int64?
    ) -> IncomingItems<GatewayV1.WatchDocumentsItem> {
        backend.documents.watchDocuments(
            .init(after: position.map { .afterPosition($0) }), context())
    }
}

extension GatewayV1.WatchDocumentsItem {
    /// The document that was written.
    fileprivate var written: GatewayV1.Document? {
        if case .written(let document) = change { document } else { nil }
    }
}
