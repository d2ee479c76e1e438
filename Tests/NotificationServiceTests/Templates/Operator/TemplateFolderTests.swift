import Contracts
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import NotificationService

@Suite("N-05: Templates that change while the program runs", .timeLimit(.minutes(1)))
struct TemplateFolderTests {
    private let folder: TemporaryFolder
    private let settings: TemplateSettings
    private let log = CapturedLog()
    private let follower: FollowedFiles<OperatorTemplates>

    init() throws {
        folder = try TemporaryFolder()
        _ = try folder.write("Subject: One\n\nx\n", to: "welcome.en.mail")
        settings = try NotificationFixture.settings(["POSTERN_TEMPLATE_FOLDER": folder.path])
            .templates
        follower = try #require(settings.followedFolder(log.logger(time: ManualTime())))
    }

    private func subject() throws -> String {
        try settings.live.value.mail(
            .welcome, language: "en", product: try #require(HeaderText("Tea")),
            values: [.name: "", .device: "", .place: "", .time: "noon"]
        ).subject.text
    }

    private func logged(_ words: String) -> Int { log.lines.count { $0.contains(words) } }

    @Test("N-05: a change takes effect after it was read twice the same")
    func changed() throws {
        #expect(try subject() == "One")
        follower.look()
        _ = try folder.write("Subject: Two\n\nx\n", to: "welcome.en.mail")
        follower.look()
        #expect(try subject() == "One")
        follower.look()
        #expect(try subject() == "Two")
        for _ in 0..<3 { follower.look() }
        #expect(logged("templates.reloaded") == 1)
        try folder.remove("welcome.en.mail")
        for _ in 0..<2 { follower.look() }
        #expect(try subject() == "Welcome to Tea")
    }

    @Test("N-05: a file that is read while it is being written changes nothing")
    func torn() throws {
        for part in ["Subject: T\n\nx", "Subject: Tw\n\nx", "", "Subject: Two\n\nx"] {
            _ = try folder.write(part, to: "welcome.en.mail")
            follower.look()
            #expect(try subject() == "One")
        }
        #expect(logged("templates.reload.failed") == 0)
    }

    @Test("N-05: a broken change is rejected and logged once; the old wording stays in use")
    func broken() throws {
        _ = try folder.write("Subject: {{nobody}}\n\nx\n", to: "welcome.en.mail")
        _ = try folder.write("x\n", to: "nothing.en.mail")
        for _ in 0..<5 { follower.look() }
        #expect(try subject() == "One")
        #expect(logged("templates.reload.failed") == 1)
        let line = try #require(log.lines.first { $0.contains("templates.reload.failed") })
        #expect(line.contains("{{nobody}}") && line.contains("nothing.en.mail"))
        try folder.remove("nothing.en.mail")
        _ = try folder.write("Subject: Three\n\nx\n", to: "welcome.en.mail")
        for _ in 0..<2 { follower.look() }
        #expect(try subject() == "Three")
    }

    @Test("N-05: the folder is read while the program runs, until it is cancelled")
    func runs() async throws {
        let time = ManualTime()
        let worker = Task { await follower.run(time) }
        _ = try folder.write("Subject: Two\n\nx\n", to: "welcome.en.mail")
        for _ in 0..<2 {
            await time.sleepers(1)
            time.advance(by: .seconds(2))
        }
        await time.sleepers(1)
        #expect(try subject() == "Two")
        worker.cancel()
        await worker.value
    }
}
