import Contracts
import FoundationEssentials
import ServiceRuntime
import TestSupport
import Testing

@testable import NotificationService

@Suite("The inbox folder")
struct MaildirInboxTests {
    @Test("a mail appears whole in new, readable only by its owner, and leaves tmp empty")
    func delivery() async throws {
        let folder = try TemporaryFolder()
        let inbox = try MaildirInbox(folder: folder.file("inbox"))
        #expect(await inbox.deliver(try mail(1)) == .taken)
        #expect(await inbox.deliver(try mail(2)) == .taken)
        let names = try files(folder, "new")
        #expect(names == ["0.msg_0000000000001.postern", "0.msg_0000000000002.postern"])
        #expect(try files(folder, "tmp") == [])
        let path = folder.file("inbox/new/0.msg_0000000000001.postern")
        #expect(try Array(Data(contentsOf: URL(filePath: path))) == mail(1).bytes)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test("the same mail delivered again is stored once")
    func repeated() async throws {
        let folder = try TemporaryFolder()
        let inbox = try MaildirInbox(folder: folder.file("inbox"))
        for _ in 0..<3 { #expect(await inbox.deliver(try mail(1)) == .taken) }
        #expect(MaildirReader(folder: folder.file("inbox")).mails().count == 1)
    }

    @Test("if the folder is missing the attempt fails and leaves nothing behind")
    func gone() async throws {
        let folder = try TemporaryFolder()
        let inbox = try MaildirInbox(folder: folder.file("inbox"))
        try FileManager.default.removeItem(atPath: folder.file("inbox/new"))
        guard case .failed = await inbox.deliver(try mail(1)) else {
            Issue.record("the delivery did not fail")
            return
        }
        #expect(try files(folder, "tmp") == [])
    }

    @Test("a folder that cannot be created is an error at start")
    func refused() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "file")
        #expect(throws: MaildirInbox.FileError.self) {
            try MaildirInbox(folder: folder.file("file/inbox"))
        }
    }

    private func files(_ folder: TemporaryFolder, _ part: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.file("inbox/\(part)")).sorted()
    }

    private func mail(_ key: Int64) throws -> MailMessage {
        MailMessage(
            id: try #require(MessageID(key: key)), date: Timestamp(milliseconds: 0),
            sender: try #require(Mailbox(name: "Postern", address: "no-reply@example.org")),
            recipient: try #require(MailAddress("ada@example.org")),
            content: try TemplateCatalogue.embedded.mail(
                .deletionDone, language: "", product: try #require(HeaderText("Postern")),
                values: [:]))
    }
}
