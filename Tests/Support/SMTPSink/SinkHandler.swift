import Glibc
import NIOCore
import NIOSSL

/// One connection: cuts bytes into lines, passes them to the conversation, and answers.
final class SinkHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case commands
        case message
        /// Nothing is answered any more.
        case stalled
    }

    private let sink: SMTPSink
    private var conversation = SinkConversation()
    private var phase = Phase.commands
    private var waiting = ByteBuffer()
    private var lateAnswer: String?

    init(_ sink: SMTPSink, isEncrypted: Bool) {
        self.sink = sink
        conversation.isEncrypted = isEncrypted
    }

    func channelActive(context: ChannelHandlerContext) {
        sink.recordConnection()
        say(sink.script.greeting, context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        waiting.writeBuffer(&part)
        if let answer = lateAnswer {
            lateAnswer = nil
            say(answer, context)
        }
        var goesOn = true
        while goesOn, phase != .stalled {
            goesOn = phase == .commands ? takeCommand(context) : takeMessageLine(context)
        }
        if phase == .stalled { waiting.clear() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// False when there is no whole line yet.
    private func takeCommand(_ context: ChannelHandlerContext) -> Bool {
        guard let line = nextLine() else { return false }
        let command = String(decoding: line.last == 13 ? line.dropLast() : line[...], as: UTF8.self)
        let script = sink.recordCommand(command)
        let sink = sink
        for action in conversation.take(command, script, isNew: { sink.isNew($0) }) {
            switch action {
            case .say(let answer): say(answer, context)
            case .beginTLS: beginTLS(script, context)
            case .takeMessage: phase = .message
            case .hangUp: hangUp(context)
            }
        }
        return true
    }

    private func takeMessageLine(_ context: ChannelHandlerContext) -> Bool {
        guard let line = nextLine() else { return false }
        guard line == [UInt8(ascii: "."), 13] else {
            conversation.mail.bytes +=
                line.first == UInt8(ascii: ".") ? line.dropFirst() : line[...]
            conversation.mail.bytes.append(10)
            return true
        }
        phase = .commands
        let script = sink.record(conversation.mail)
        conversation.mail = SMTPSink.Mail()
        switch script.ending {
        case .answer(let answer):
            say(answer, context)
            if script.hangsUpAfterMail { hangUp(context) }
        case .drop: hangUp(context)
        case .stall: phase = .stalled
        case .late(let answer): lateAnswer = answer
        }
        return true
    }

    /// The next line without its line feed; memchr(3), since these tests run unoptimised too.
    private func nextLine() -> [UInt8]? {
        let count = waiting.withUnsafeReadableBytes { bytes -> Int? in
            guard let start = bytes.baseAddress, let end = memchr(start, 10, bytes.count) else {
                return nil
            }
            return UnsafeRawPointer(end) - start
        }
        guard let count, let line = waiting.readBytes(length: count) else { return nil }
        waiting.moveReaderIndex(forwardBy: 1)
        if waiting.readableBytes == 0 { waiting.clear() }
        return line
    }

    private func say(_ answer: String, _ context: ChannelHandlerContext) {
        let buffer = context.channel.allocator.buffer(string: answer + "\r\n")
        let wait = sink.script.answerMilliseconds
        guard wait > 0 else {
            context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
            return
        }
        let channel = context.channel
        context.eventLoop.scheduleTask(in: .milliseconds(wait)) {
            channel.writeAndFlush(buffer, promise: nil)
        }
    }

    private func hangUp(_ context: ChannelHandlerContext) {
        phase = .stalled
        context.close(promise: nil)
    }

    /// What came before the handshake is forgotten: it was said in clear.
    private func beginTLS(_ script: SMTPSink.Script, _ context: ChannelHandlerContext) {
        guard let tls = script.tls else { return hangUp(context) }
        waiting.clear()
        conversation = SinkConversation()
        conversation.isEncrypted = true
        do {
            let handler = NIOSSLServerHandler(context: tls)
            try context.pipeline.syncOperations.addHandler(handler, position: .first)
        } catch {
            hangUp(context)
        }
    }
}
