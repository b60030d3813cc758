//! Bodies of responses: whole, streamed, cut or silent.

use bytes::Bytes;
use hyper::body::{Body, Frame};
use hyper::{Response, StatusCode};
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

/// How a stream of events ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// After the last event, in order.
    Complete,
    /// The connection is cut after this many events.
    Dropped { after: usize },
    /// Nothing follows, and the connection stays open.
    Hanging,
}

/// A body that gives its frames one by one.
pub struct Frames {
    frames: VecDeque<Bytes>,
    end: End,
    /// The frames before a cut were handed to the connection.
    flushed: bool,
}

/// A response that is sent at once.
pub fn whole(status: StatusCode, headers: &[(&'static str, String)], body: &[u8]) -> Response<Frames> {
    let frames = VecDeque::from([Bytes::copy_from_slice(body)]);
    let mut response = Response::new(Frames { frames, end: End::Complete, flushed: false });
    *response.status_mut() = status;
    set_header(&mut response, "content-type", "application/json");
    for (name, value) in headers {
        set_header(&mut response, name, value);
    }
    response
}

/// A response of server-sent events.
pub fn events(events: Vec<Bytes>, end: End) -> Response<Frames> {
    let mut frames = VecDeque::from(events);
    if let End::Dropped { after } = end {
        frames.truncate(after);
    }
    let mut response = Response::new(Frames { frames, end, flushed: false });
    set_header(&mut response, "content-type", "text/event-stream");
    response
}

/// A response whose headers come and whose body never does.
pub fn silent() -> Response<Frames> {
    events(Vec::new(), End::Hanging)
}

fn set_header(response: &mut Response<Frames>, name: &'static str, value: &str) {
    let value = value.parse().expect("a header value of plain characters");
    response.headers_mut().insert(name, value);
}

impl Body for Frames {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if let Some(frame) = self.frames.pop_front() {
            return Poll::Ready(Some(Ok(Frame::data(frame))));
        }
        match self.end {
            End::Complete => Poll::Ready(None),
            End::Hanging => Poll::Pending,
            // hyper writes what it has when the body pauses, so the client sees the events before the cut.
            End::Dropped { .. } if !self.flushed => {
                self.flushed = true;
                context.waker().wake_by_ref();
                Poll::Pending
            }
            End::Dropped { .. } => Poll::Ready(Some(Err(io::Error::new(io::ErrorKind::ConnectionAborted, "cut by the script")))),
        }
    }
}
