import Dispatch
import Glibc
import ServiceRuntime

/// The inbox of a machine without a mail server: a Maildir in the data folder, with one file per
/// mail, readable by any mail program and by `postern inbox`. Source:
/// https://cr.yp.to/proto/maildir.html
///
/// A file is written to `tmp`, synced to disk, and then renamed into `new`, so that no reader sees
/// a partial mail and no crash leaves one. Its name is derived from the message's id: a delivery
/// that is repeated after a crash replaces the mail instead of duplicating it.
final class MaildirInbox: MailTransport {
    /// The folder that holds `tmp`, `new` and `cur`.
    let folder: String
    /// fsync(2) blocks, and the threads of the task executor must not block.
    private let queue = DispatchQueue(label: "postern.inbox")

    /// The inbox in `folder`. Creates it if necessary, accessible to its owner only.
    /// - Throws: `FileError`.
    init(folder: String) throws(FileError) {
        self.folder = folder
        for path in [folder] + ["tmp", "new", "cur"].map({ "\(folder)/\($0)" }) {
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw FileError(path: path, errno: errno)
            }
        }
    }

    func deliver(_ mail: MailMessage) async -> DeliveryOutcome {
        await store(mail.bytes, of: mail.id, acceptedAt: mail.date)
    }

    /// Stores a message of any channel in mail form.
    func store(
        _ bytes: [UInt8], of id: MessageID, acceptedAt: Timestamp
    ) async -> DeliveryOutcome {
        let name = "\(acceptedAt.seconds).\(id.text).postern"
        return await withCheckedContinuation { continuation in
            queue.async { [folder] in
                do throws(FileError) {
                    try Self.place(bytes, name, in: folder)
                    continuation.resume(returning: .taken)
                } catch {
                    continuation.resume(returning: .failed("inbox-\(error.errno)"))
                }
            }
        }
    }

    private static func place(
        _ bytes: [UInt8], _ name: String, in folder: String
    ) throws(FileError) {
        let draft = "\(folder)/tmp/\(name)"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileError(path: draft, errno: errno) }
        do throws(FileError) {
            defer { close(file) }
            guard bytes.withUnsafeBytes({ Files.write($0, to: file) }), fsync(file) == 0,
                rename(draft, "\(folder)/new/\(name)") == 0
            else {
                throw FileError(path: draft, errno: errno)
            }
        } catch {
            unlink(draft)
            throw error
        }
        // A rename is durable only once its folder is synced (fsync(2)).
        let mails = "\(folder)/new"
        guard Files.sync(mails) else { throw FileError(path: mails, errno: errno) }
    }
}

extension MaildirInbox {
    /// A file or folder of the inbox on which a system call failed.
    struct FileError: Error, Hashable, CustomStringConvertible {
        /// The path.
        let path: String
        /// The system's error number.
        let errno: Int32

        /// The text for the operator.
        var description: String { "\(path): \(String(cString: strerror(errno)))" }
    }
}

/// Writes text and push messages to the inbox on a machine without providers. Each becomes a mail,
/// so that `postern inbox` shows everything that would have been sent.
struct SMSAndPushInbox: MessageRoute {
    let inbox: MaildirInbox
    let sender: Mailbox
    let templates: Reloadable<TemplateCatalogue>
    let lines: AutofillLines

    func deliver(_ message: OutgoingMessage) async -> DeliveryOutcome {
        guard let page = page(message.content) else { return .failed(.notRendered) }
        let text = """
            Date: \(message.acceptedAt.internetDate(zone: "+0000"))
            From: \(sender.text)
            To: \(page.recipient)
            Subject: \(page.subject)
            MIME-Version: 1.0
            Content-Type: text/plain; charset=utf-8
            Content-Transfer-Encoding: 8bit

            \(page.text)

            """
        return await inbox.store(
            Array(text.utf8), of: message.id, acceptedAt: message.acceptedAt)
    }

    private func page(
        _ content: OutgoingMessage.Content
    ) -> (recipient: String, subject: String, text: String)? {
        switch content {
        case .email: return nil
        case .sms(let order):
            guard
                let words = templates.value.text(of: order, product: sender.name, lines: lines)
            else { return nil }
            return (order.recipient, "Text message", words)
        case .push(let order):
            guard let words = templates.value.push(of: order, product: sender.name) else {
                return nil
            }
            let data = order.data.map { "\($0.name)=\($0.value)" }
            return (
                "\(order.maskedRecipient) of \(order.owner.text)",
                "Push message", ([words.title, words.body] + data).joined(separator: "\n")
            )
        }
    }
}
