import ArgumentParser
import NotificationService
import TestSupport
import Testing

@testable import postern

@Suite("postern inbox: links and folders")
struct InboxTests {
    private func mail(_ name: String, _ text: String) -> MaildirReader.Mail {
        MaildirReader.Mail(name: name, bytes: Array("To: ada@example.org\n\n\(text)\n".utf8))
    }

    @Test("the link of a mail is the first of its text")
    func link() {
        #expect(
            mail("1", "Hello,\n\nhttps://a.example/?token=x\nhttps://b.example/").link
                == "https://a.example/?token=x")
        #expect(mail("1", "your code is 123456").link == nil)
    }

    @Test("a printed mail contains no terminal escapes")
    func escapes() {
        let page = mail("1", "\u{1B}[2JHello\u{9B}2J,\n\tAda\u{7}").page
        #expect(page.hasSuffix("\u{FFFD}[2JHello\u{FFFD}2J,\n\tAda\u{FFFD}\n"))
    }

    @Test("--link prints the newest link; a mail without one is skipped")
    func newest() throws {
        let mails = [
            mail("1", "http://a.example/"), mail("2", "http://b.example/"), mail("3", "no link"),
        ]
        #expect(try InboxCommand.newestLink(mails, "in inbox") == "http://b.example/")
        let none = #expect(throws: ToolError.self) {
            try InboxCommand.newestLink([], "to ada@example.org in inbox")
        }
        #expect(none?.description == "no mails to ada@example.org in inbox")
        #expect(throws: ToolError.self) {
            try InboxCommand.newestLink([mail("3", "no link")], "in inbox")
        }
    }

    @Test("a wrong folder is an error; a data folder without mails is not")
    func folders() throws {
        let folder = try TemporaryFolder()
        #expect(throws: ToolError.self) {
            try InboxCommand.checkReadable(folder.path, folder.file("inbox"))
        }
        _ = try folder.write("{}", to: "endpoints.json")
        try InboxCommand.checkReadable(folder.path, folder.file("inbox"))
        let wrong = folder.file("elsewhere")
        #expect(throws: ToolError.self) {
            try InboxCommand.checkReadable(wrong, "\(wrong)/inbox")
        }
    }

    @Test("--open and --link exclude each other")
    func options() {
        #expect(throws: (any Error).self) { try InboxCommand.parse(["--open", "--link"]) }
    }
}
