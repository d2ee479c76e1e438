/// The result of sending a mail to a server.
package enum SMTPOutcome: Hashable, Sendable {
    /// The server has replied 250 to the whole message and is now responsible for it.
    case accepted
    /// The server has rejected this mail, at MAIL, RCPT, DATA or the end of the message.
    case refused(SMTPAnswer)
    /// The server does not support addresses beyond ASCII (RFC 6531), and this mail has one.
    case unsupported
    /// The conversation failed before the server had the whole message. This does not mean that the
    /// mail itself is at fault.
    case failed(TransferFailure)
    /// The whole message was sent, and no reply came: the server may have accepted it.
    case unanswered(TransferFailure)
}

extension SMTPOutcome {
    /// Derives the mail's result from the end of libcurl's transfer.
    init(_ result: Result<TransferReport, TransferFailure>, messageBytes: Int) {
        switch result {
        case .failure(let failure):
            self = .failed(failure)
        case .success(let report) where report.isSuccess:
            self = .accepted
        case .success(let report):
            let answer = report.mailAnswer
            if report.isMailUnsupported {
                self = .unsupported
            } else if let answer, (400...599).contains(answer.code), answer.code != 421 {
                // A 554 greeting or a 535 to AUTH is not about this mail, and 421 means only that
                // the server closes the connection (RFC 5321, 3.8).
                self = .refused(answer)
            } else if answer?.code == 354, report.uploadedBytes == messageBytes {
                self = .unanswered(report.failure)
            } else {
                self = .failed(report.failure)
            }
        }
    }
}
